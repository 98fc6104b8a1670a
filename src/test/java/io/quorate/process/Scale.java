package io.quorate.process;

import java.time.Duration;
import java.util.Random;

/** The size of the proofs: short in every build, full with {@code -Pendurance}. */
final class Scale {

	/** Tag of tests that the gate leaves out: {@code mvn verify -Pfull} has them. */
	static final String FULL = "full";

	/** Tag of tests that only run at full size. */
	static final String ENDURANCE = "endurance";

	private static final boolean FULL_SIZE = Boolean.getBoolean("quorate.endurance");

	private static final int SLOWER = Integer.getInteger("quorate.slower", 1);

	private Scale() {
	}

	/** Whether this is the full size: durations are required there alone. */
	static boolean isFull() {
		return FULL_SIZE;
	}

	static int of(int inEveryBuild, int atFullSize) {
		return FULL_SIZE ? atFullSize : inEveryBuild;
	}

	static String of(String inEveryBuild, String atFullSize) {
		return FULL_SIZE ? atFullSize : inEveryBuild;
	}

	/**
	 * A time between two requests at full size, longer by {@code -Dquorate.slower=...},
	 * the number of times by which a machine is slower than that of the design.
	 */
	static Duration interval(Duration inEveryBuild, Duration atFullSize) {
		return FULL_SIZE ? atFullSize.multipliedBy(SLOWER) : inEveryBuild;
	}

	/** So many in a second, fewer at full size on a slower machine. */
	static int perSecond(int inEveryBuild, int atFullSize) {
		return FULL_SIZE ? atFullSize / SLOWER : inEveryBuild;
	}

	/**
	 * The seed of a test, printed with what it is for: given by
	 * {@code -Dquorate.seed=...}, or a new one.
	 */
	static long seed(String test) {
		long seed = Long.getLong("quorate.seed", new Random().nextInt(1_000_000));
		report("%s: seed %d (again: -Dquorate.seed=%d)".formatted(test, seed, seed));
		return seed;
	}

	/** Prints a line, for the report of a run. */
	static void report(String line) {
		System.out.println(line);
	}

}
