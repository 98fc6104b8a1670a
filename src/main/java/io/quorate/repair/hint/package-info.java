/**
 * Hints: writes that members have missed, on the disk until the members have them.
 * <p>
 * One thread owns all files and the handoff. A thread that reports a missed write only
 * puts it into a bounded queue, and one that receives a member's reply only into another.
 */
@NullMarked
package io.quorate.repair.hint;

import org.jspecify.annotations.NullMarked;
