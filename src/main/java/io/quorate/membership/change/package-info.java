/**
 * Changes of the members, as operators see them: the conditions on which one may begin,
 * the plan of what it moves ({@link io.quorate.membership.change.PlannedChanges}), and
 * its progress ({@link io.quorate.membership.change.LayoutOverview}); and the nodes that
 * ask to join ({@link io.quorate.membership.change.JoinRequests}). Blocks no caller; no
 * threads of its own. Rests on {@code agreement}.
 */
@NullMarked
@NamedInterface("change")
package io.quorate.membership.change;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
