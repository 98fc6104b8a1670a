package io.quorate.bench;

import java.util.Random;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;

/**
 * The samples that measurements of parts use in turn, so that no call sees the sample of
 * the call before: the same in every run.
 */
public final class Samples {

	/** How many keys {@link #keys(int)} gives: a power of two. */
	public static final int KEYS = 1024;

	private static final long SEED = 7;

	private Samples() {
	}

	/** Keys of a size, of letters, in no order. */
	public static Key[] keys(int sizeBytes) {
		Random random = new Random(SEED);
		Key[] keys = new Key[KEYS];
		for (int i = 0; i < KEYS; i++) {
			keys[i] = Key.wrap(letters(random, sizeBytes));
		}
		return keys;
	}

	/** The key of 16 bytes of a record: in the order of the numbers. */
	public static Key key(int number) {
		return Key.wrap(Records.key(number));
	}

	/** The numbers from 0 on, shuffled. */
	public static int[] shuffled(int count) {
		Random random = new Random(SEED);
		int[] numbers = new int[count];
		for (int i = 0; i < count; i++) {
			int other = random.nextInt(i + 1);
			numbers[i] = numbers[other];
			numbers[other] = i;
		}
		return numbers;
	}

	/** A value of a size. */
	public static Value value(int sizeBytes) {
		byte[] bytes = new byte[sizeBytes];
		new Random(SEED).nextBytes(bytes);
		return Value.wrap(bytes);
	}

	/** An entry of three copies with a value of a size. */
	public static Entry.Live entry(int sizeBytes) {
		return new Entry.Live(timestamp(0), 3, Entry.NEVER, value(sizeBytes));
	}

	/** Timestamps, each later than the one before. */
	public static Timestamp timestamp(long number) {
		return new Timestamp(Timestamp.hybridOfMillis(1_700_000_000_000L) + number, 0xcafe0042);
	}

	private static byte[] letters(Random random, int sizeBytes) {
		byte[] letters = new byte[sizeBytes];
		for (int i = 0; i < sizeBytes; i++) {
			letters[i] = (byte) ('a' + random.nextInt(26));
		}
		return letters;
	}

}
