package io.quorate.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.engine.LsmStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The time that puts and reads wait for flushes and compactions: puts at 70 % of the
 * measured maximum, as they come and not as they are answered, and a read for each tenth;
 * once with flushes and compactions as fast as they can, once with rests, the rate of
 * merges and the slow-down of the log. In every build for some seconds with small
 * memtables, with {@code -Pendurance} for 15 minutes each with a node's defaults.
 */
@Tag(Scale.FULL)
class CompactionLatencyIT {

	private static final int VALUE_BYTES = 400;

	private static final int IN_FLIGHT = 64;

	private static final int READ_EVERY = 10;

	private static final long MEASURE_SECONDS = Scale.of(3, 60);

	private static final long LOAD_SECONDS = Scale.of(6, 900);

	private static final int KEYS = Scale.of(100_000, 5_000_000);

	private static final double PART = 0.7;

	/* Of the puts that are answered without limits. */
	private static final double LEAST = 0.9;

	private static final Duration STALL = Duration.ofSeconds(2);

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	@TempDir
	private Path directory;

	private final AtomicLong stamps = new AtomicLong(1_800_000_000_000L);

	private final LatencyHistogram puts = new LatencyHistogram();

	@Test
	void putsAndReadsWithAndWithoutLimitsOfTheBackground() throws Exception {
		SplittableRandom random = new SplittableRandom(Scale.seed("CompactionLatencyIT"));
		double most;
		try (LsmStore store = LocalStores.open(this.directory.resolve("most"), unlimited())) {
			most = measure(store, random);
		}
		Scale.report("CompactionLatencyIT: at most %.0f puts a second, waiting for answers".formatted(most));
		Run without = load("unlimited", unlimited(), most * PART, random);
		Run with = load("limited", sizes(), most * PART, random);
		assertThat(with.failed.get()).as("puts that failed").isZero();
		assertThat(with.puts.count()).as("puts answered").isPositive();
		if (Scale.isFull()) {
			assertThat(with.puts.count()).as("puts answered, limited and not")
				.isGreaterThan((long) (LEAST * without.puts.count()));
			assertThat(Duration.ofNanos(with.puts.mostNanos())).as("never a stall of seconds: %s", with.puts)
				.isLessThan(STALL);
		}
	}

	private double measure(LsmStore store, SplittableRandom random) throws Exception {
		Semaphore free = new Semaphore(IN_FLIGHT);
		long begun = System.nanoTime();
		long written = 0;
		while (System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(MEASURE_SECONDS)) {
			assertThat(free.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
			long sent = System.nanoTime();
			var _ = put(store, random).whenComplete((_, _) -> {
				this.puts.record(System.nanoTime() - sent);
				free.release();
			});
			written++;
		}
		return 1e9 * written / (System.nanoTime() - begun);
	}

	private Run load(String name, Map<String, String> properties, double rate, SplittableRandom random)
			throws Exception {
		Run run = new Run();
		try (LsmStore store = LocalStores.open(this.directory.resolve(name), properties)) {
			long begun = System.nanoTime();
			long interval = (long) (1e9 / rate);
			long count = (long) (rate * LOAD_SECONDS);
			for (long i = 0; i < count; i++) {
				long due = begun + i * interval;
				awaitNanos(due);
				run.put(put(store, random), due);
				if (i % READ_EVERY == 0) {
					run.read(store, key(random), due);
				}
				run.levelZero = Math.max(run.levelZero, (i % 1000 == 0) ? store.status().tables().levelZero() : 0);
			}
			run.awaitAnswers();
			Scale.report(
					"CompactionLatencyIT: %s at %.0f puts a second for %d s: puts %s; reads %s; %d refused, at most %d tables of level 0"
						.formatted(name, rate, LOAD_SECONDS, run.puts, run.reads, run.refused.get(), run.levelZero));
		}
		return run;
	}

	private static void awaitNanos(long due) {
		long left = due - System.nanoTime();
		while (left > 0) {
			if (left > 100_000) {
				LockSupport.parkNanos(left - 60_000);
			}
			else {
				Thread.onSpinWait();
			}
			left = due - System.nanoTime();
		}
	}

	private CompletableFuture<ApplyResult> put(LsmStore store, SplittableRandom random) {
		byte[] value = new byte[VALUE_BYTES];
		random.nextBytes(value);
		Timestamp stamp = Timestamp.ofMillis(this.stamps.incrementAndGet());
		return store.apply(key(random), new Entry.Live(stamp, 1, Entry.NEVER, Value.wrap(value)), Runnable::run);
	}

	private static Key key(SplittableRandom random) {
		return Key.of("key%08d".formatted(random.nextInt(KEYS)));
	}

	private static Map<String, String> sizes() {
		Map<String, String> sizes = new HashMap<>();
		sizes.put("memtable-size", Scale.of("4MB", "32MB"));
		return sizes;
	}

	private static Map<String, String> unlimited() {
		Map<String, String> properties = sizes();
		properties.put("background-share", "1");
		properties.put("compaction.max-rate", "0B");
		return properties;
	}

	/** The result of one load. */
	private static final class Run {

		private final LatencyHistogram puts = new LatencyHistogram();

		private final LatencyHistogram reads = new LatencyHistogram();

		private final AtomicLong refused = new AtomicLong();

		private final AtomicLong failed = new AtomicLong();

		private final AtomicLong open = new AtomicLong();

		private int levelZero;

		private void put(CompletableFuture<ApplyResult> answer, long due) {
			this.open.incrementAndGet();
			var _ = answer.whenComplete((_, failure) -> {
				if (failure == null) {
					this.puts.record(System.nanoTime() - due);
				}
				else {
					(failure instanceof StorageOverloadedException ? this.refused : this.failed).incrementAndGet();
				}
				this.open.decrementAndGet();
			});
		}

		private void read(LsmStore store, Key key, long due) {
			this.open.incrementAndGet();
			var _ = store.read(key, Runnable::run).whenComplete((_, failure) -> {
				if (failure == null) {
					this.reads.record(System.nanoTime() - due);
				}
				this.open.decrementAndGet();
			});
		}

		private void awaitAnswers() {
			long deadline = System.nanoTime() + PATIENCE.toNanos();
			while (this.open.get() > 0) {
				assertThat(System.nanoTime()).as("%d answers", this.open.get()).isLessThan(deadline);
				LockSupport.parkNanos(1_000_000);
			}
		}

	}

}
