package io.quorate.storage.wal;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.DiskFullException;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageProperties.Wal;
import io.quorate.storage.record.StoredEntry;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The acknowledgements of the log. */
class WriteAheadLogTests {

	@TempDir
	Path directory;

	private final Brought target = new Brought();

	/**
	 * Small writes, too: they would be as long unforced as the large ones find no room.
	 */
	@Test
	void nothingIsAcknowledgedWhileAnIntervalsWritesCannotBeForced() throws Exception {
		try (WriteAheadLog log = open()) {
			assertThat(outcome(log)).isInstanceOf(ApplyResult.Applied.class);
			Awaitility.await().until(() -> log.durableSequence() == 1);
			this.target.refused = new DiskFullException(this.directory, 0, 1);
			CompletableFuture<ApplyResult> last = submit(log);
			Awaitility.await().until(() -> this.target.failures.get() > 0);
			assertThat(last.get(1, TimeUnit.MINUTES)).as("of the interval before").isNotNull();
			int before = this.target.written.get();
			for (int i = 0; i < 50; i++) {
				assertThatThrownBy(() -> outcome(log)).hasCauseInstanceOf(DiskFullException.class);
			}
			assertThat(this.target.written).hasValue(before);
			this.target.refused = null;
			Awaitility.await()
				.ignoreExceptionsInstanceOf(ExecutionException.class)
				.until(() -> outcome(log) instanceof ApplyResult.Applied);
		}
	}

	private WriteAheadLog open() throws IOException {
		Wal properties = new Wal(Sync.INTERVAL, Duration.ofMillis(5), Duration.ZERO, DataSize.ofKilobytes(256), 4096,
				Duration.ZERO);
		WriteAheadLog log = new WriteAheadLog(new LogEnd(this.directory, 1, 1, 0, new Promises(10, 1024)), properties,
				new Unrecorded(), this.target, new Silent(), new Random(1));
		log.start();
		return log;
	}

	private static ApplyResult outcome(WriteAheadLog log) throws Exception {
		return submit(log).get(1, TimeUnit.MINUTES);
	}

	private static CompletableFuture<ApplyResult> submit(WriteAheadLog log) {
		LogWrite write = new LogWrite(Key.of("a"),
				new StoredEntry(0, new Timestamp(1, 1), Versioned.NEVER, 1, new StoredEntry.Inline(Value.EMPTY)),
				Runnable::run);
		log.submit(write);
		return write.waiter();
	}

	/** The target of the log, which counts its writes. */
	private static final class Brought implements LogTarget {

		private final AtomicInteger written = new AtomicInteger();

		private final AtomicInteger failures = new AtomicInteger();

		private volatile @Nullable StorageException refused;

		@Override
		public LogThrottle pace() {
			return LogThrottle.FULL;
		}

		@Override
		public boolean wantsRotation(double share) {
			return false;
		}

		@Override
		public boolean mayRotate() {
			return false;
		}

		@Override
		public int maxMemtables() {
			return 1;
		}

		@Override
		public boolean hasLost(Key key) {
			return false;
		}

		@Override
		public void rotated(long segment) {
			throw new AssertionError("not asked for");
		}

		@Override
		public @Nullable StorageException forceValues() {
			StorageException cause = this.refused;
			if (cause != null) {
				this.failures.incrementAndGet();
			}
			return cause;
		}

		@Override
		public void written(List<LogWrite> batch) {
			batch.forEach((write) -> write.resolve(new ApplyResult.Applied(write.entry().sequence())));
			this.written.addAndGet(batch.size());
		}

		@Override
		public void failed(StorageFailedException cause) {
			throw new AssertionError(cause);
		}

	}

	/** A listener that ignores all events. */
	private static final class Silent implements LogListener {

		@Override
		public void appended(long sizeBytes) {
		}

		@Override
		public void forced(long nanos) {
		}

		@Override
		public void refused(RuntimeException cause) {
		}

	}

	private static final class Unrecorded implements SegmentRegister {

		@Override
		public void made(long number) {
		}

		@Override
		public void forced(Map<Long, Long> lengths) {
		}

	}

}
