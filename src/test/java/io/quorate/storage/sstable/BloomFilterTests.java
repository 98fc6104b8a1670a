package io.quorate.storage.sstable;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.function.LongPredicate;

import io.quorate.entry.Key;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BloomFilterTests {

	private static final int KEYS = 100_000;

	@Test
	void noKeyThatWasAddedIsMissed() {
		try (Arena arena = Arena.ofConfined()) {
			BloomFilter filter = BloomFilter.of(hashes((hash) -> true), arena);
			for (int i = 0; i < KEYS; i++) {
				assertThat(filter.mayContain(hash(i))).isTrue();
			}
		}
	}

	@Test
	void lessThanTwoInAHundredOtherKeysPass() {
		try (Arena arena = Arena.ofConfined()) {
			BloomFilter filter = BloomFilter.of(hashes((hash) -> true), arena);
			assertThat(falsePositives(filter)).isLessThan(KEYS / 50);
		}
	}

	@Test
	void keysOfOnePartitionOnlyAreSpreadAsWell() {
		try (Arena arena = Arena.ofConfined()) {
			LongPredicate upperPart = (hash) -> hash >>> 61 == 5;
			BloomFilter upper = BloomFilter.of(hashes(upperPart), arena);
			assertThat(falsePositives(upper)).isLessThan(KEYS / 50);
			LongPredicate lowerPart = (hash) -> hash % 8 == 5;
			BloomFilter lower = BloomFilter.of(hashes(lowerPart), arena);
			assertThat(falsePositives(lower)).isLessThan(KEYS / 50);
		}
	}

	@Test
	void aFilterOfNothingLetsNothingPass() {
		try (Arena arena = Arena.ofConfined()) {
			assertThat(falsePositives(BloomFilter.of(new HashList(0), arena))).isZero();
		}
	}

	@Test
	void aFilterReadBackIsTheSame() {
		try (Arena arena = Arena.ofConfined()) {
			BloomFilter written = BloomFilter.of(hashes((hash) -> true), arena);
			ByteBuffer bytes = ByteBuffer.allocate(written.encodedSizeBytes() + 4);
			written.write(bytes);
			bytes.putInt(42).flip();
			BloomFilter read = BloomFilter.read(bytes, arena);
			assertThat(bytes.getInt()).isEqualTo(42);
			for (int i = 0; i < 2 * KEYS; i++) {
				assertThat(read.mayContain(hash(i))).isEqualTo(written.mayContain(hash(i)));
			}
		}
	}

	private static HashList hashes(LongPredicate chosen) {
		HashList hashes = new HashList(3);
		for (int i = 0; i < KEYS; i++) {
			if (chosen.test(hash(i))) {
				hashes.add(hash(i));
			}
		}
		return hashes;
	}

	private static int falsePositives(BloomFilter filter) {
		int passed = 0;
		for (int i = KEYS; i < 2 * KEYS; i++) {
			passed += filter.mayContain(hash(i)) ? 1 : 0;
		}
		return passed;
	}

	private static long hash(int number) {
		return Key.of("key-" + number).hash64();
	}

}
