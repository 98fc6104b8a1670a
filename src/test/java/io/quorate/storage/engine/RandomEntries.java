package io.quorate.storage.engine;

import java.util.Arrays;
import java.util.Random;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Lineage;
import io.quorate.entry.RandomContentTypes;
import io.quorate.entry.RandomLineages;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;

/**
 * Entries of all kinds and sizes: deletions, short lives, values beyond every bound, of
 * any lineage.
 */
final class RandomEntries {

	private RandomEntries() {
	}

	static Entry next(Random random, Timestamp timestamp) {
		Lineage lineage = RandomLineages.next(random, timestamp);
		int dice = random.nextInt(100);
		if (dice < 20) {
			return new Entry.Tombstone(timestamp, 1, lineage);
		}
		long expiry = (dice < 40) ? timestamp.millis() + random.nextInt(5000) : Versioned.NEVER;
		byte[] value = new byte[size(random)];
		random.nextBytes(value);
		if (random.nextBoolean()) {
			Arrays.fill(value, (byte) dice);
		}
		return new Entry.Live(timestamp, 1, expiry, Value.wrap(value), RandomContentTypes.next(random), lineage);
	}

	private static int size(Random random) {
		int dice = random.nextInt(100);
		if (dice < 60) {
			return random.nextInt(200);
		}
		if (dice < 90) {
			return random.nextInt(8000);
		}
		return (dice < 99) ? random.nextInt(40_000) : random.nextInt(600_000);
	}

}
