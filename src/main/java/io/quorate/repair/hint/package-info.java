/**
 * Hints: what members have missed, on the disk until they have it.
 * <p>
 * One thread owns all files and the handoff; whoever tells of a missed write only puts it
 * into a bounded queue, and replies of members only into another.
 */
@NullMarked
package io.quorate.repair.hint;

import org.jspecify.annotations.NullMarked;
