/**
 * The copying of the keys that a node gains in a change of the layout
 * ({@link io.quorate.repair.move.Move}).
 * <p>
 * While a layout is joint, a node copies what it gains from every replica of before that
 * is not declared dead, and then reports that it has. The copies are comparisons in which
 * only this node receives entries ({@code antientropy}). Until then it takes no hint and
 * no other comparison's entry of those keys ({@link io.quorate.repair.move.GainedKeys}):
 * one that was purged elsewhere could come back with it.
 */
@NullMarked
package io.quorate.repair.move;

import org.jspecify.annotations.NullMarked;
