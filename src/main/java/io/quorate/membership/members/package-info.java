/**
 * The members by the layout that this node has adopted
 * ({@link io.quorate.membership.members.Layouts}), and their states
 * ({@link io.quorate.membership.members.Membership}): who is configured, who is up, and
 * whether a majority was met. Methods that event loops call take no lock. Rests on
 * {@code layout}.
 */
@NullMarked
@NamedInterface("members")
package io.quorate.membership.members;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
