/**
 * The identity of this node, the other members of its cluster, and their states.
 * <p>
 * Promises that an impossible list of members is refused at the start
 * ({@link io.quorate.membership.Topology}), and that the state of a member is the one
 * reported last ({@link io.quorate.membership.Membership}). No threads, no I/O; states
 * come from {@code internode}, whose connections see them first. May use {@code ring},
 * {@code storage}, {@code entry} and {@code clock}.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "ring", "storage", "entry", "clock" })
package io.quorate.membership;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
