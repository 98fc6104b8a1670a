package io.quorate;

/**
 * The number of seeds that a simulation runs: few in the gate, more in the full lane
 * ({@code -Pfull}), most at full size ({@code -Pendurance}). Seeds begin at a fixed one,
 * so each build of a lane runs the same. {@code -Dquorate.seeds=...} names another number
 * for all simulations.
 */
public final class Seeds {

	private static final int LANE = Boolean.getBoolean("quorate.endurance") ? 2
			: Boolean.getBoolean("test.full") ? 1 : 0;

	private Seeds() {
	}

	/** The number for this build. */
	public static int of(int gate, int full, int endurance) {
		return Integer.getInteger("quorate.seeds", new int[] { gate, full, endurance }[LANE]);
	}

}
