package io.quorate.bench;

import java.util.Arrays;
import java.util.Random;

/**
 * The records of a measurement: keys of 16 bytes in order of their number, values of 100
 * bytes that do not compress.
 */
final class Records {

	static final int VALUE_SIZE_BYTES = 100;

	static final int SIZE_BYTES = 16 + VALUE_SIZE_BYTES;

	private static final byte[] ZERO_KEY = { 'u', 's', 'e', 'r', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0',
			'0' };

	private static final int VALUES = 1024;

	private static final byte[][] POOL = pool();

	private Records() {
	}

	/** Key of a record that is there. */
	static byte[] key(int number) {
		return digits(2L * number);
	}

	/** A key between the records that are there. */
	static byte[] missingKey(int number) {
		return digits(2L * number + 1);
	}

	static byte[] value(int number) {
		return POOL[number & (VALUES - 1)];
	}

	private static byte[] digits(long number) {
		byte[] key = Arrays.copyOf(ZERO_KEY, ZERO_KEY.length);
		long rest = number;
		for (int at = key.length - 1; rest > 0; at--) {
			key[at] = (byte) ('0' + rest % 10);
			rest /= 10;
		}
		return key;
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
