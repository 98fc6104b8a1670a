package io.quorate.storage.wal;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Lineage;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.DiskFullException;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageProperties.Wal;
import io.quorate.storage.record.StoredEntry.Extras;
import io.quorate.storage.record.StoredEntry;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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

	@Test
	void aPromiseJudgesTheRestOfItsBatch() throws Exception {
		try (WriteAheadLog log = made(Sync.NEVER)) {
			List<LogWrite> writes = List.of(entry(1), promise(5), entry(4), promise(4), promise(5), entry(6),
					promise(5), LogWrite.release(Key.of("a"), new Timestamp(5, 1)), entry(4));
			writes.forEach(log::submit);
			log.start();
			List<ApplyResult> results = new ArrayList<>();
			for (LogWrite write : writes) {
				results.add(write.waiter().get(1, TimeUnit.MINUTES));
			}
			ApplyResult refused = new ApplyResult.Promised(new Timestamp(5, 1));
			assertThat(results).containsExactly(new ApplyResult.Applied(1), new ApplyResult.Applied(2), refused,
					refused, new ApplyResult.Applied(3), new ApplyResult.Applied(4), new ApplyResult.Applied(5),
					new ApplyResult.Applied(6), new ApplyResult.Applied(7));
			assertThat(log.durableSequence()).as("a promise is forced whatever the mode").isEqualTo(7);
		}
		List<Long> sequences = new ArrayList<>();
		new LogReplay(this.directory, (_) -> true).replay(1, (_, entry) -> sequences.add(entry.sequence()));
		assertThat(sequences).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L);
	}

	@ParameterizedTest
	@EnumSource(names = { "INTERVAL", "NEVER" })
	void anEntryOfARoundIsForcedWhateverTheMode(Sync sync) throws Exception {
		try (WriteAheadLog log = made(sync, Duration.ofHours(1))) {
			LogWrite plain = entry(1);
			LogWrite ofARound = new LogWrite(Key.of("b"), new StoredEntry(0, new Timestamp(5, 1), Versioned.NEVER, 1,
					new StoredEntry.Inline(Value.EMPTY), Extras.of(null, new Lineage(new Timestamp(4, 1), null))),
					Runnable::run);
			log.submit(plain);
			log.submit(ofARound);
			log.start();
			assertThat(ofARound.waiter().get(1, TimeUnit.MINUTES)).isEqualTo(new ApplyResult.Applied(2));
			assertThat(log.durableSequence()).isEqualTo(2);
			assertThat(outcome(log)).isEqualTo(new ApplyResult.Applied(3));
			assertThat(log.durableSequence()).as("a plain one is not").isEqualTo(2);
		}
	}

	@Test
	void noPromiseIsMadeThatCannotBeForced() throws Exception {
		try (WriteAheadLog log = made(Sync.NEVER)) {
			this.target.refused = new DiskFullException(this.directory, 0, 1);
			LogWrite write = promise(5);
			log.submit(write);
			log.start();
			assertThatThrownBy(() -> write.waiter().get(1, TimeUnit.MINUTES)).as("it may be in the log, so no refusal")
				.hasCauseInstanceOf(StorageFailedException.class);
			assertThat(outcome(log)).isEqualTo(new ApplyResult.Promised(new Timestamp(5, 1)));
			this.target.refused = null;
			LogWrite again = promise(5);
			log.submit(again);
			assertThat(again.waiter().get(1, TimeUnit.MINUTES)).isEqualTo(new ApplyResult.Applied(2));
			assertThat(log.durableSequence()).isEqualTo(2);
		}
	}

	@Test
	void aBoundRefusesPromisesAndNoWrites() throws Exception {
		try (WriteAheadLog log = open()) {
			for (int i = 0; i < 10; i++) {
				assertThat(promised(log, i)).isInstanceOf(ApplyResult.Applied.class);
			}
			assertThatThrownBy(() -> promised(log, 10)).hasCauseInstanceOf(StorageOverloadedException.class);
			assertThat(promised(log, 9)).as("stands already").isInstanceOf(ApplyResult.Applied.class);
			assertThat(outcome(log)).isInstanceOf(ApplyResult.Applied.class);
		}
	}

	private static ApplyResult promised(WriteAheadLog log, int key) throws Exception {
		LogWrite write = LogWrite.promise(Key.of("k" + key), new Timestamp(5, 1), 0, Runnable::run);
		log.submit(write);
		return write.waiter().get(1, TimeUnit.MINUTES);
	}

	private static LogWrite promise(int ballot) {
		return LogWrite.promise(Key.of("a"), new Timestamp(ballot, 1), 0, Runnable::run);
	}

	private static LogWrite entry(int stamp) {
		return new LogWrite(Key.of("a"),
				new StoredEntry(0, new Timestamp(stamp, 1), Versioned.NEVER, 1, new StoredEntry.Inline(Value.EMPTY)),
				Runnable::run);
	}

	private WriteAheadLog open() throws IOException {
		WriteAheadLog log = made(Sync.INTERVAL);
		log.start();
		return log;
	}

	private WriteAheadLog made(Sync sync) throws IOException {
		return made(sync, Duration.ofMillis(5));
	}

	private WriteAheadLog made(Sync sync, Duration interval) throws IOException {
		Wal properties = new Wal(sync, interval, Duration.ZERO, DataSize.ofKilobytes(256), 4096, Duration.ZERO);
		return new WriteAheadLog(new LogEnd(this.directory, 1, 1, 0, new Promises(10, 1024)), properties,
				new Unrecorded(), this.target, new Silent(), new Random(1));
	}

	private static ApplyResult outcome(WriteAheadLog log) throws Exception {
		return submit(log).get(1, TimeUnit.MINUTES);
	}

	private static CompletableFuture<ApplyResult> submit(WriteAheadLog log) {
		LogWrite write = entry(1);
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
