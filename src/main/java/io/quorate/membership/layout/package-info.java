/**
 * Layouts of the cluster: the members of a version, their zones and directories, and the
 * change that leads from one version to the next
 * ({@link io.quorate.membership.layout.LayoutMachine}); and the bytes in which members
 * keep and send them. Immutable values and functions of values. Rests on {@code ring} and
 * {@code consensus}, and on no other part of the room.
 */
@NullMarked
@NamedInterface("layout")
package io.quorate.membership.layout;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
