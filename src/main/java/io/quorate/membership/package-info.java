/**
 * Who this node is and who the others are.
 * <p>
 * For now the configuration of one node. No threads, no I/O. May use {@code ring},
 * {@code storage}, {@code entry} and {@code clock}.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "storage", "entry", "clock" })
package io.quorate.membership;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
