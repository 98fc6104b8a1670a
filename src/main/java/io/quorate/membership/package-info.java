/**
 * The identity of this node, the other members of its cluster, their states and their
 * programs.
 * <p>
 * Promises that an impossible list of members is refused at the start
 * ({@link io.quorate.membership.members.Layouts}), that a layout does not change while a
 * task holds it ({@link io.quorate.membership.layout.Layout}), that the state of a member
 * is the one reported last ({@link io.quorate.membership.members.Membership}), that no
 * member writes formats that the program before cannot read until an operator has
 * finalized the upgrade ({@link io.quorate.membership.reports.Upgrade}), and that no two
 * members adopt two contents of one version of the layout
 * ({@link io.quorate.membership.agreement.LayoutAgreement}). One thread, {@code layout},
 * which waits for the disk ({@link io.quorate.membership.exchange.LayoutThread}), and no
 * I/O but the record of the format level and the file {@code LAYOUT}; states, programs
 * and the messages of other members come from {@code internode}, whose connections see
 * them first. May use {@code replica}, {@code consensus}, {@code ring}, {@code storage},
 * {@code entry}, {@code clock} and {@code meter}.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "replica", "consensus", "consensus :: file", "ring", "storage",
		"storage :: file", "entry", "clock", "meter" })
package io.quorate.membership;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
