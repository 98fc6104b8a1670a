/**
 * The identity of this node, the other members of its cluster, their states and their
 * programs.
 * <p>
 * Promises that an impossible list of members is refused at the start
 * ({@link io.quorate.membership.Layouts}), that a layout does not change while a task
 * holds it ({@link io.quorate.membership.Layout}), that the state of a member is the one
 * reported last ({@link io.quorate.membership.Membership}), and that no member writes
 * formats that the program before cannot read until an operator has finalized the upgrade
 * ({@link io.quorate.membership.Upgrade}). No threads, and no I/O but the record of the
 * format level; states and programs come from {@code internode}, whose connections see
 * them first. May use {@code consensus}, {@code ring}, {@code storage}, {@code entry} and
 * {@code clock}.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "consensus", "ring", "storage", "entry", "clock" })
package io.quorate.membership;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
