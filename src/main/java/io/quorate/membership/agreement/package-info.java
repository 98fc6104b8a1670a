/**
 * The agreement of the members about the next layout
 * ({@link io.quorate.membership.agreement.LayoutAgreement}): votes and their conditions,
 * proposals, the adoption of what was decided, and the layouts that a directory or a
 * backup has recorded. One thread at a time uses it, and waits for the disk. Rests on
 * {@code reports}.
 */
@NullMarked
@NamedInterface("agreement")
package io.quorate.membership.agreement;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
