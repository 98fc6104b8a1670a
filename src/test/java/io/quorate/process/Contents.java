package io.quorate.process;

import java.util.SplittableRandom;

/** Values that nobody has to keep: what they are follows from their name and size. */
final class Contents {

	private Contents() {
	}

	/** The value that a key has in one of its versions. */
	static byte[] of(String key, long version, int sizeBytes) {
		byte[] bytes = new byte[sizeBytes];
		new SplittableRandom(key.hashCode() * 0x9E3779B97F4A7C15L + version).nextBytes(bytes);
		return bytes;
	}

}
