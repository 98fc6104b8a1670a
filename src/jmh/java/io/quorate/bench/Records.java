package io.quorate.bench;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;

/**
 * The records of a measurement: keys of 16 bytes in order of their number, values of 100
 * bytes that do not compress.
 */
final class Records {

	static final int VALUE_SIZE_BYTES = 100;

	static final int SIZE_BYTES = 16 + VALUE_SIZE_BYTES;

	private static final int VALUES = 1024;

	private static final byte[][] POOL = pool();

	private Records() {
	}

	/** Key of a record that is there. */
	static byte[] key(int number) {
		return String.format(Locale.ROOT, "user%012d", 2L * number).getBytes(StandardCharsets.US_ASCII);
	}

	/** A key between the records that are there. */
	static byte[] missingKey(int number) {
		return String.format(Locale.ROOT, "user%012d", 2L * number + 1).getBytes(StandardCharsets.US_ASCII);
	}

	static byte[] value(int number) {
		return POOL[number & (VALUES - 1)];
	}

	private static byte[][] pool() {
		Random random = new Random(7);
		byte[][] pool = new byte[VALUES][VALUE_SIZE_BYTES];
		for (byte[] value : pool) {
			random.nextBytes(value);
		}
		return pool;
	}

}
