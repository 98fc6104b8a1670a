package io.quorate.entry;

import java.util.random.RandomGenerator;

import io.quorate.clock.Timestamp;
import org.jspecify.annotations.Nullable;

/** Lineages for tests: none, or any with or without a version and a parent. */
public final class RandomLineages {

	private RandomLineages() {
	}

	/** The lineage of an entry with a timestamp. */
	public static @Nullable Lineage next(RandomGenerator random, Timestamp timestamp) {
		if (random.nextBoolean()) {
			return null;
		}
		Timestamp version = random.nextBoolean() ? timestamp : timestamp(random);
		return new Lineage(version, switch (random.nextInt(3)) {
			case 0 -> null;
			case 1 -> Timestamp.ZERO;
			default -> timestamp(random);
		});
	}

	private static Timestamp timestamp(RandomGenerator random) {
		return new Timestamp(random.nextLong(), random.nextInt());
	}

}
