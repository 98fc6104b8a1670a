package io.quorate.load;

import java.util.Iterator;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;

/**
 * A number of keys in a row, all equally long and in the order of their numbers, and how
 * to draw from them. Its draws are the same for the same seed.
 */
final class Keys {

	/** More do not fit into the digits of a key. */
	static final int MOST = 100_000_000;

	private final String prefix;

	private final int count;

	Keys(String prefix, int count) {
		this.prefix = prefix;
		this.count = count;
	}

	String key(int number) {
		return "%s-%08d".formatted(this.prefix, number);
	}

	int count() {
		return this.count;
	}

	/** Bytes of each key. */
	int keySize() {
		return key(0).length();
	}

	Stream<String> all() {
		return IntStream.range(0, this.count).mapToObj(this::key);
	}

	/**
	 * Endless draws, each with the {@code id} of a key, the {@code end} of a range of so
	 * many keys from it on, whether to {@code read} it, and the {@code phase} in which it
	 * was drawn. Not thread-safe; Gatling asks one at a time.
	 */
	Iterator<Map<String, Object>> draws(Draw draw, Supplier<String> phase) {
		SplittableRandom random = new SplittableRandom(draw.seed());
		UniformRandomProvider provider = random::nextLong;
		DiscreteSampler ranks = RejectionInversionZipfSampler.of(provider, this.count - draw.span() + 1, draw.zipf());
		return Stream.generate(() -> {
			int number = ranks.sample() - 1;
			boolean read = random.nextDouble() < draw.reads();
			return Map.<String, Object>of("id", key(number), "end", key(number + draw.span()), "read", read, "phase",
					phase.get());
		}).iterator();
	}

	/**
	 * How to draw.
	 *
	 * @param zipf exponent of Zipf's law: the first key is the most frequent one; 0 for
	 * each equally often
	 * @param reads share of reads
	 * @param span number of keys in a range
	 * @param seed where the draws begin
	 */
	record Draw(double zipf, double reads, int span, long seed) {

		Draw over(int keys) {
			return new Draw(this.zipf, this.reads, keys, this.seed);
		}

	}

}
