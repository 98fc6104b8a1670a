package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.log.ForgedBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

/** Values that a client has made of batches of the log. */
class ForgedValuesTests {

	private static final int SEGMENTS = 80;

	private static final int VALUE_BYTES = 16_000;

	@TempDir
	Path home;

	@Test
	void emptyBatchesThatClaimToKnowOfForcedBytesRefuseNoStart() throws IOException {
		Path directory = this.home.resolve("store");
		byte[] forged = emptyBatches();
		try (LsmStore store = TestStores.open(directory, () -> 0)) {
			for (int i = 0; i < 400; i++) {
				put(store, i, (i % 8 == 0) ? forged : new byte[VALUE_BYTES]);
				if (i % 40 == 39) {
					Path image = this.home.resolve("image" + i);
					CrashImage.take(directory, image);
					assertAllThere(image, i + 1);
				}
			}
		}
		assertAllThere(directory, 400);
	}

	/** For each number of a segment eight, one of which is aligned wherever it lands. */
	private static byte[] emptyBatches() {
		byte[] value = new byte[VALUE_BYTES];
		int at = 0;
		for (int segment = 1; segment <= SEGMENTS; segment++) {
			byte[] batch = ForgedBytes.batch(0, segment, 0, 1 << 30, new byte[0]);
			for (int copy = 0; copy < 8; copy++) {
				System.arraycopy(batch, 0, value, at, batch.length);
				at += batch.length + 1;
			}
		}
		return Arrays.copyOf(value, at);
	}

	@Test
	void recordsInValuesAreNotReplayed() throws IOException {
		Path directory = this.home.resolve("store");
		try (LsmStore store = TestStores.open(directory, () -> 0)) {
			for (int i = 0; i < 400; i++) {
				// Of another size each time: so some end where a forged batch begins.
				put(store, i, denseBatches(i, VALUE_BYTES - 8 * (i % 8)));
				if (i > 100 && i % 8 == 7) {
					Path image = this.home.resolve("image" + i);
					CrashImage.take(directory, image);
					assertAllThere(image, i + 1);
				}
			}
		}
		assertAllThere(directory, 400);
	}

	/** For each of the segments that are likely to be made of this one's file. */
	private static byte[] denseBatches(int round, int size) {
		List<byte[]> batches = new ArrayList<>();
		long next = 1 + round * 16_000L / 400_000;
		for (long segment = next; segment < next + 8; segment++) {
			batches.add(ForgedBytes.batch(0, segment, 1, 0, ForgedBytes.record("z", 1_000_000)));
		}
		byte[] value = new byte[size];
		int at = round % 8;
		for (int i = 0; at + batches.getFirst().length <= size; i++) {
			byte[] batch = batches.get(i / 16 % batches.size());
			System.arraycopy(batch, 0, value, at, batch.length);
			at += batch.length;
		}
		return value;
	}

	private static void put(LsmStore store, int number, byte[] value) {
		assertThat(TestStores.applyWithRoom(store, key(number), entry(number, value)))
			.isInstanceOf(ApplyResult.Applied.class);
	}

	private static Key key(int number) {
		return Key.of("key-%04d".formatted(number));
	}

	private static Entry entry(int number, byte[] value) {
		return new Entry.Live(Timestamp.ofMillis(number + 1), 1, Versioned.NEVER, Value.wrap(value));
	}

	private static void assertAllThere(Path directory, int count) {
		try (LsmStore store = StoreOpening.open(TestStores.properties(directory, Sync.ALWAYS),
				PurgePolicy.alone(() -> 0))) {
			for (int i = 0; i < count; i++) {
				assertThat(await(store.read(key(i), Runnable::run))).as("%s in %s", key(i), directory)
					.isInstanceOf(ReadResult.Found.class);
			}
			assertThat(await(store.read(Key.of("z"), Runnable::run))).as("z in %s", directory)
				.isInstanceOf(ReadResult.Absent.class);
		}
	}

}
