package io.quorate.entry;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Lineage.Repeatable;
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
		Timestamp parent = switch (random.nextInt(3)) {
			case 0 -> null;
			case 1 -> Timestamp.ZERO;
			default -> timestamp(random);
		};
		List<Repeatable> repeatable = new ArrayList<>();
		for (int i = random.nextBoolean() ? 0 : random.nextInt(1 + Lineage.MOST_REPEATABLE); i > 0; i--) {
			IdempotencyKey key = new IdempotencyKey(random.nextLong(), random.nextLong());
			repeatable.add(new Repeatable(key, timestamp(random)));
		}
		return new Lineage(version, parent, repeatable);
	}

	private static Timestamp timestamp(RandomGenerator random) {
		return new Timestamp(random.nextLong(), random.nextInt());
	}

}
