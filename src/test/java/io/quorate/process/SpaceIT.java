package io.quorate.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.engine.LsmStore;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The disk space that a store takes while its data is overwritten ten times, and after it
 * was deleted: in every build with 32 MiB of data and everything else as much smaller,
 * with {@code -Pendurance} with 1 GiB and a node's defaults.
 */
@Tag(Scale.FULL)
class SpaceIT {

	private static final long LIVE_BYTES = Scale.of(32, 1024) * (1L << 20);

	private static final int ROUNDS = 10;

	/* What is written: garbage goes while it is made, how fast depends on the machine. */
	private static final long MOST_BYTES = ROUNDS * LIVE_BYTES;

	private static final int IN_FLIGHT = 256;

	private static final Map<String, String> SIZES = Map.of("memtable-size", Scale.of("1MB", "32MB"), "table-size",
			Scale.of("4MB", "128MB"), "wal.segment-size", Scale.of("1MB", "32MB"), "value-file-size",
			Scale.of("8MB", "256MB"), "wal.sync", "interval", "min-free-space", "64MB");

	@TempDir
	private Path directory;

	private long stamps = 1_800_000_000_000L;

	@Test
	void overwrittenAndDeletedSmallValuesGiveTheirSpaceBack() throws Exception {
		overwriteAndDelete("small values", 1000);
	}

	@Test
	void overwrittenAndDeletedLargeValuesGiveTheirSpaceBack() throws Exception {
		overwriteAndDelete("large values", 64_000);
	}

	private void overwriteAndDelete(String what, int valueBytes) throws Exception {
		int keys = (int) (LIVE_BYTES / valueBytes);
		SplittableRandom random = new SplittableRandom(Scale.seed("SpaceIT, " + what));
		long most = 0;
		try (LsmStore store = LocalStores.open(this.directory, SIZES)) {
			for (int round = 0; round < ROUNDS; round++) {
				write(store, keys, random, valueBytes);
				most = Math.max(most, LocalStores.sizeBytes(this.directory));
			}
			if (Scale.isFull()) {
				assertThat(most).isLessThan(MOST_BYTES);
			}
			store.flush().get(60, TimeUnit.SECONDS);
			store.compacted().get(300, TimeUnit.SECONDS);
			long end = awaitSize(LIVE_BYTES * 22 / 10);
			write(store, keys, random, -1);
			store.flush().get(60, TimeUnit.SECONDS);
			store.compacted().get(300, TimeUnit.SECONDS);
			long deleted = awaitSize(LIVE_BYTES * 3 / 10);
			Scale.report("SpaceIT, %s: %d MiB live, written %d times: at most %d MiB, at the end %d, deleted %d"
				.formatted(what, LIVE_BYTES >> 20, ROUNDS, most >> 20, end >> 20, deleted >> 20));
		}
	}

	/** Files are deleted a little after they are needed no more. */
	private long awaitSize(long bound) {
		long[] size = { 0 };
		Awaitility.await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
			size[0] = LocalStores.sizeBytes(this.directory);
			assertThat(size[0]).isLessThan(bound);
		});
		return size[0];
	}

	/**
	 * Writes each key once, in an order that is not theirs; deletes with a size below 0.
	 */
	private void write(LsmStore store, int keys, SplittableRandom random, int valueBytes) throws Exception {
		Semaphore free = new Semaphore(IN_FLIGHT);
		AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
		int offset = random.nextInt(keys);
		for (int i = 0; i < keys; i++) {
			// 1,000,003 is a prime: all keys come once.
			int number = (int) ((offset + i * 1_000_003L) % keys);
			Timestamp stamp = Timestamp.ofMillis(++this.stamps);
			Entry entry = (valueBytes < 0) ? new Entry.Tombstone(stamp, 1) : live(stamp, random, valueBytes);
			put(store, Key.of("key%010d".formatted(number)), entry, free, failure);
		}
		assertThat(free.tryAcquire(IN_FLIGHT, 60, TimeUnit.SECONDS)).isTrue();
		assertThat(failure.get()).isNull();
	}

	private static Entry live(Timestamp stamp, SplittableRandom random, int valueBytes) {
		byte[] value = new byte[valueBytes];
		random.nextBytes(value);
		return new Entry.Live(stamp, 1, Entry.NEVER, Value.wrap(value));
	}

	private static void put(LsmStore store, Key key, Entry entry, Semaphore free,
			AtomicReference<@Nullable Throwable> failure) throws InterruptedException {
		assertThat(free.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
		attempt(store, key, entry, free, failure);
	}

	/** What is refused for the load's sake is written again a little later. */
	private static void attempt(LsmStore store, Key key, Entry entry, Semaphore free,
			AtomicReference<@Nullable Throwable> failure) {
		var _ = store.apply(key, entry, Runnable::run).whenComplete((_, refused) -> {
			if (refused instanceof StorageOverloadedException) {
				CompletableFuture.delayedExecutor(5, TimeUnit.MILLISECONDS)
					.execute(() -> attempt(store, key, entry, free, failure));
				return;
			}
			failure.compareAndSet(null, refused);
			free.release();
		});
	}

}
