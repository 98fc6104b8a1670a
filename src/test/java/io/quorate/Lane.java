package io.quorate;

/**
 * The lane of tests that runs: the gate, the full lane ({@code -Pfull}), or the tests at
 * full size ({@code -Pendurance}). Simulations and models are short in the gate.
 */
public final class Lane {

	private static final int LANE = Boolean.getBoolean("quorate.endurance") ? 2
			: Boolean.getBoolean("test.full") ? 1 : 0;

	private Lane() {
	}

	/** The number for this lane. */
	public static int of(int gate, int full, int endurance) {
		return new int[] { gate, full, endurance }[LANE];
	}

	/**
	 * The number of seeds of a simulation. They begin at a fixed one, so each build of a
	 * lane runs the same; {@code -Dquorate.seeds=...} names another number.
	 */
	public static int seeds(int gate, int full, int endurance) {
		return Integer.getInteger("quorate.seeds", of(gate, full, endurance));
	}

}
