package io.quorate.entry;

import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

/** Content types for tests: none, a common one, or one of any length. */
public final class RandomContentTypes {

	private RandomContentTypes() {
	}

	public static @Nullable ContentType next(RandomGenerator random) {
		return switch (random.nextInt(4)) {
			case 0 -> ContentType.of("application/json");
			case 1 -> {
				byte[] bytes = new byte[1 + random.nextInt(ContentType.MAX_SIZE_BYTES)];
				for (int i = 0; i < bytes.length; i++) {
					bytes[i] = (byte) (' ' + random.nextInt('~' - ' ' + 1));
				}
				yield ContentType.wrap(bytes);
			}
			default -> null;
		};
	}

}
