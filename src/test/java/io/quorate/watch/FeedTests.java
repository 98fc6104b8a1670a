package io.quorate.watch;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.clock.TrueTime;
import io.quorate.coordinator.PreferenceLists;
import io.quorate.coordinator.ReadOutcome;
import io.quorate.coordinator.ReplicaSet;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Lineage;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.replica.ChangesReply;
import io.quorate.replica.ChangesRequest;
import io.quorate.replica.Origin;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import io.quorate.storage.Arrivals;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

import static org.assertj.core.api.Assertions.assertThat;

class FeedTests {

	private static final Key KEY = Key.of("a/1");

	private static final Entry OLD = live(1, null);

	private static final Entry NEW = live(2, null);

	private long nanos = 1;

	private final Queue<Runnable> turns = new ArrayDeque<>();

	private final List<MonoSink<ReadOutcome>> reads = new ArrayList<>();

	private final Member one = new Member("n1");

	private final Member two = new Member("n2");

	private final Member three = new Member("n3");

	private PreferenceLists lists = new AllHold(2, List.of(this.one, this.two, this.three));

	private final Watching watch = new Watching();

	private final Feed feed = new Feed(
			new Surroundings(() -> this.lists, (_, _) -> Mono.create(this.reads::add), this.turns::add,
					new Surroundings.Clocks(() -> this.nanos, () -> this.nanos / 1_000_000, () -> TrueTime.UNKNOWN),
					() -> 7, 1024),
			new WatchMetrics(new SimpleMeterRegistry()));

	@BeforeEach
	void begin() {
		this.feed.add(this.watch);
		for (Member each : List.of(this.one, this.two, this.three)) {
			each.answer(false, List.of());
		}
	}

	@Test
	void anEntryThatAMajorityHasNamedIsReported() {
		this.one.name(OLD);
		assertThat(this.watch.versions).isEmpty();
		this.two.name(OLD);
		assertThat(this.watch.versions).containsExactly(OLD.version());
	}

	@Test
	void anOlderEntryIsLeftOutWhileANewerOneIsUnconfirmed() {
		this.one.name(NEW);
		this.two.name(OLD);
		this.three.name(OLD);
		assertThat(this.watch.versions).isEmpty();
		this.two.name(NEW);
		assertThat(this.watch.versions).containsExactly(NEW.version());
	}

	@Test
	void theOutcomeOfAReadIsLeftOutWhenANewerEntryWasNamedMeanwhile() {
		this.one.name(OLD);
		pass(Feed.CONFIRM_MILLIS);
		assertThat(this.reads).hasSize(1);
		this.one.name(NEW);
		this.reads.getFirst().success(new ReadOutcome.Found((Entry.Live) OLD));
		run();
		assertThat(this.watch.versions).isEmpty();
		this.two.name(NEW);
		assertThat(this.watch.versions).containsExactly(NEW.version());
	}

	@Test
	void aVersionAtTwoTimestampsIsNotNamedByAMajority() {
		Entry settled = live(3, new Lineage(OLD.version(), null));
		this.one.name(OLD);
		this.two.name(settled);
		assertThat(this.watch.versions).isEmpty();
		this.three.name(settled);
		assertThat(this.watch.versions).containsExactly(OLD.version());
	}

	@Test
	void aNameOfAMemberThatWasBehindWhenAWatchBeganIsRead() {
		pass(1);
		this.feed.started();
		this.one.name(OLD);
		this.two.name(OLD);
		assertThat(this.watch.versions).isEmpty();
		assertThat(this.reads).hasSize(1);
	}

	@Test
	void aMemberThatBeginsAnewLosesNoWatchWhenTheOthersVouchForIt() {
		this.three.beginAnew();
		assertThat(this.watch.lost).isZero();
	}

	@Test
	void aMemberThatBeginsAnewLosesWatchesWhenAnotherIsNotReached() {
		passWithout(this.two);
		this.three.beginAnew();
		assertThat(this.watch.lost).isPositive();
	}

	@Test
	void aMemberThatBeginsAnewLosesWatchesWhenAVoucherFallsSilent() {
		// The others were asked before it was.
		pass(10);
		this.three.answer(false, List.of());
		this.three.beginAnew();
		assertThat(this.watch.lost).isZero();
		passWithout(this.two);
		assertThat(this.watch.lost).isPositive();
	}

	@Test
	void aLayoutWhoseReplicasAreNotKnownLosesWatches() {
		this.lists = new AllHold(3, List.of(this.three, new Member("n4"), new Member("n5")));
		pass(1);
		assertThat(this.watch.lost).isPositive();
	}

	private void passWithout(Member silent) {
		for (int i = 0; i <= Feed.REACH_MILLIS / 100; i++) {
			for (Member each : List.of(this.one, this.two, this.three)) {
				if (each != silent) {
					each.answer(false, List.of());
				}
			}
			pass(100);
		}
	}

	private void pass(long millis) {
		this.nanos += millis * 1_000_000;
		this.feed.tick();
		run();
	}

	private void run() {
		while (!this.turns.isEmpty()) {
			this.turns.remove().run();
		}
	}

	private static Entry live(long millis, @Nullable Lineage lineage) {
		return new Entry.Live(Timestamp.ofMillis(millis), Entry.ALL, Versioned.NEVER,
				Value.wrap("x".getBytes(StandardCharsets.UTF_8)), null, lineage);
	}

	/** Every member holds every key. */
	private record AllHold(long layout, List<Replica> allReplicas) implements PreferenceLists {

		private AllHold {
			allReplicas = List.copyOf(allReplicas);
		}

		@Override
		public ReplicaSet replicasOf(Key key) {
			return ReplicaSet.of(this.allReplicas);
		}

		@Override
		public Collection<ReplicaSet> everySet() {
			return List.of(ReplicaSet.of(this.allReplicas));
		}

		@Override
		public int replicationFactor() {
			return this.allReplicas.size();
		}

	}

	/** A member that answers when the test says so. */
	private final class Member implements Replica {

		private final String id;

		private long epoch = 1;

		private long sequence;

		private @Nullable MonoSink<ChangesReply> asked;

		private Member(String id) {
			this.id = id;
		}

		private void name(Entry entry) {
			this.sequence++;
			answer(false, List.of(new Arrivals.Name(KEY, this.sequence, Summary.of(entry))));
		}

		private void beginAnew() {
			this.epoch++;
			answer(true, List.of());
		}

		private void answer(boolean isGap, List<Arrivals.Name> names) {
			MonoSink<ChangesReply> last = this.asked;
			assertThat(last).isNotNull();
			last.success(new ChangesReply.Changes(new Arrivals.Page(names, this.epoch, this.sequence, isGap)));
			run();
		}

		@Override
		public String nodeId() {
			return this.id;
		}

		@Override
		public Mono<ChangesReply> changes(ChangesRequest request, Deadline deadline) {
			return Mono.create((sink) -> this.asked = sink);
		}

		@Override
		public Mono<WriteReply> apply(Key key, Entry entry, Origin origin, Deadline deadline) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Mono<ReadReply> read(Key key, int maxValueBytes, Deadline deadline) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Mono<PageReply> page(PageRequest request, Deadline deadline) {
			throw new UnsupportedOperationException();
		}

	}

	/** A watch that notes what it is told. */
	private static final class Watching implements Feed.Listener {

		private final List<Timestamp> versions = new ArrayList<>();

		private int lost;

		@Override
		public ScanRange range() {
			return ScanRange.ascending(Key.of("a/"), Key.of("a0"));
		}

		@Override
		public boolean covers(Key key) {
			return true;
		}

		@Override
		public boolean hasValues() {
			return false;
		}

		@Override
		public void offer(WatchEvent.OfKey event, Timestamp timestamp) {
			this.versions.add(event.version());
		}

		@Override
		public void fallBehind() {
		}

		@Override
		public void lose() {
			this.lost++;
		}

		@Override
		public boolean isBusy() {
			return false;
		}

		@Override
		public void go() {
		}

	}

}
