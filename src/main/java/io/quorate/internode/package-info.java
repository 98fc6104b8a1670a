/**
 * What nodes share with the network: the event loops, later the connections to peers.
 * <p>
 * HTTP and internode run on one set of event loops, which never block. The only room that
 * knows Netty. May use {@code replica}, {@code membership}, {@code storage},
 * {@code entry} and {@code clock}.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "replica", "membership", "storage", "entry", "clock" })
package io.quorate.internode;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
