package io.quorate.replica;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Deadline;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.replica.Failure.Reason;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage;
import io.quorate.storage.StorageException;
import io.quorate.storage.Store;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LocalReplicaTests {

	private static final long NOW = 1_800_000_000_000L;

	private static final Duration MAX_SKEW = Duration.ofSeconds(60);

	private final AtomicLong own = new AtomicLong(NOW);

	private final SkewJudge judge = new SkewJudge(this.own::get, () -> 0, MAX_SKEW);

	private final Kept store = new Kept();

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final LocalReplica replica = new LocalReplica("a", this.store, this.judge, () -> Runnable::run,
			ReadGate.OPEN, this.registry);

	@Test
	void anEntryFromTheFutureIsRefusedAndNotStored() {
		assertThat(apply(live(NOW + MAX_SKEW.toMillis() + 1))).satisfies(LocalReplicaTests::isRefused);
		assertThat(apply(new Entry.Tombstone(Timestamp.ofMillis(NOW * 2), 3))).satisfies(LocalReplicaTests::isRefused);
		assertThat(this.store.applied).isEmpty();
	}

	@Test
	void anEntryWithinTheGreatestSkewIsStored() {
		assertThat(apply(live(NOW + MAX_SKEW.toMillis()))).isEqualTo(new WriteReply.Applied());
		assertThat(apply(live(0))).isEqualTo(new WriteReply.Applied());
		assertThat(this.store.applied).hasSize(2);
	}

	@Test
	void theMedianOfTheMembersDecidesAndNotTheOwnClock() {
		this.own.set(NOW + 3_600_000);
		this.judge.heard("b", NOW);
		this.judge.heard("c", NOW);
		assertThat(apply(live(NOW + 3_600_000))).satisfies(LocalReplicaTests::isRefused);
		assertThat(apply(live(NOW))).isEqualTo(new WriteReply.Applied());
	}

	private static void isRefused(WriteReply reply) {
		assertThat(reply).isInstanceOfSatisfying(WriteReply.Failed.class, (failed) -> {
			assertThat(failed.failure().reason()).isEqualTo(Reason.CLOCK_SKEW);
			assertThat(failed.failure().reason().isRefusal()).isTrue();
			assertThat(failed.failure().detail()).contains(Long.toString(NOW));
		});
	}

	private WriteReply apply(Entry entry) {
		return Objects
			.requireNonNull(this.replica.apply(Key.of("key"), entry, Deadline.after(Duration.ofSeconds(10))).block());
	}

	private static Entry live(long millis) {
		return new Entry.Live(Timestamp.ofMillis(millis), 3, Entry.NEVER, Value.copyOf(new byte[1]));
	}

	/** Takes everything. */
	private static final class Kept implements Store {

		private final List<Entry> applied = new ArrayList<>();

		@Override
		public CompletableFuture<ApplyResult> apply(Key key, Entry entry, Executor callbacks) {
			this.applied.add(entry);
			return CompletableFuture.completedFuture(new ApplyResult.Applied(this.applied.size()));
		}

		@Override
		public CompletableFuture<ReadResult> read(Key key, Executor callbacks) {
			return CompletableFuture.completedFuture(ReadResult.Absent.INSTANCE);
		}

		@Override
		public CompletableFuture<ScanPage> page(Key start, @Nullable Key end, PageLimit limit, Executor callbacks) {
			return CompletableFuture.completedFuture(new ScanPage(List.of(), null));
		}

		@Override
		public CompletableFuture<Void> flush() {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public @Nullable StorageException failure() {
			return null;
		}

		@Override
		public void close() {
		}

	}

}
