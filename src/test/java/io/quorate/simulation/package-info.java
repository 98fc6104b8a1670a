/**
 * A cluster of whole nodes in one thread and in simulated time, by one seed.
 * <p>
 * Some parts are simulated by themselves, each for what a run of whole nodes is too slow
 * to find, or has none of: {@code ConsensusSimulation} and {@code LayoutSimulation} power
 * failures in the midst of a file, by thousands of seeds; {@code IncarnationSimulation}
 * and {@code LineageSimulationTests} directories that are put back, with files that are
 * real; {@code ComparisonSimulationTests} ranges of thousands of keys.
 */
@NullMarked
package io.quorate.simulation;

import org.jspecify.annotations.NullMarked;
