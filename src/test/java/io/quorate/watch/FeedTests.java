package io.quorate.watch;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.clock.TrueTime;
import io.quorate.coordinator.PreferenceLists;
import io.quorate.coordinator.ReadOutcome;
import io.quorate.coordinator.ReplicaSet;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.KeyRanges;
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
import io.quorate.storage.HeaderPage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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

	private final Watching watch = new Watching(ScanRange.ascending(Key.of("a"), Key.of("b")));

	private final Feed feed = feed();

	private Feed feed() {
		return new Feed(new Surroundings(() -> this.lists, (_, _) -> Mono.create(this.reads::add), this.turns::add,
				new Surroundings.Clocks(() -> this.nanos, () -> this.nanos / 1_000_000, () -> TrueTime.UNKNOWN),
				() -> 7, new Surroundings.Bounds(1024, 1 << 20)), new WatchMetrics(new SimpleMeterRegistry()));
	}

	@BeforeEach
	void begin() {
		this.feed.add(this.watch);
		for (Member each : List.of(this.one, this.two, this.three)) {
			each.answer(false, List.of());
		}
		this.watch.lost = 0;
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

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aMemberThatIsFollowedLateLosesNoWatchIfTheOthersVouchForIt(boolean areSilent) {
		Feed other = feed();
		Watching its = new Watching(this.watch.range());
		other.add(its);
		this.one.answer(false, List.of());
		this.two.answer(false, List.of());
		other.started();
		if (areSilent) {
			this.nanos += TimeUnit.MILLISECONDS.toNanos(Feed.REACH_MILLIS);
		}
		this.three.answer(false, List.of());
		assertThat(its.lost > 0).isEqualTo(areSilent);
	}

	@Test
	void aKeyOfWhichAllReplicasHoldNothingHasBeenPurged() {
		this.one.name(OLD);
		pass(Feed.CONFIRM_MILLIS);
		this.reads.getFirst().success(new ReadOutcome.Missing());
		run();
		assertThat(this.watch.versions).as("a majority may leave out its holder").isEmpty();
		this.reads.getLast().success(new ReadOutcome.Missing());
		run();
		assertThat(this.watch.versions).containsExactly(OLD.version());
	}

	@Test
	void aLayoutWhoseReplicasAreNotKnownLosesWatches() {
		this.lists = new AllHold(3, List.of(this.three, new Member("n4"), new Member("n5")));
		pass(1);
		assertThat(this.watch.lost).isPositive();
	}

	@Test
	void aMemberThatThrowsIsAskedAgain() {
		this.one.failure = new IllegalStateException("a bug");
		this.one.answer(false, List.of());
		this.one.failure = null;
		pass(100);
		this.one.name(OLD);
		this.two.name(OLD);
		assertThat(this.watch.versions).containsExactly(OLD.version());
	}

	@Test
	void anEventDisturbsNoWatchOfOtherKeys() {
		Watching other = new Watching(ScanRange.only(Key.of("b")));
		this.feed.add(other);
		pass(100);
		int before = other.goes;
		this.one.name(OLD);
		this.two.name(OLD);
		assertThat(this.watch.goes).isPositive();
		assertThat(other.goes).isEqualTo(before);
		assertThat(other.versions).isEmpty();
	}

	/* More watches than ranges that members are asked for. */
	@Test
	void keysThatAreNotWatchedAreNotRead() {
		pass(100);
		for (int i = 0; i < KeyRanges.MOST; i++) {
			this.feed.add(new Watching(ScanRange.only(Key.of("c%02d".formatted(i)))));
		}
		pass(100);
		this.one.answer(false, List.of());
		this.one.sequence = 1;
		this.one.answer(false, List.of(new Arrivals.Name(Key.of("b"), 1, Summary.of(OLD))));
		pass(Feed.CONFIRM_MILLIS);
		assertThat(this.reads).isEmpty();
	}

	/* It leaves out their arrivals for good. */
	@Test
	void aWatchBeginsWhenNoRequestIsUnderWayThatLeavesOutItsKeys() {
		pass(100);
		this.feed.add(new Watching(ScanRange.only(Key.of("b"))));
		this.one.answer(false, List.of());
		this.two.answer(false, List.of());
		pass(100);
		Watch watching = new Watch(new WatchTerms(ScanRange.only(Key.of("c")), null, false, false, "p", () -> true),
				this.feed, new NoClient(), Long.MAX_VALUE, 60_000, false);
		this.feed.add(watching);
		this.one.answer(false, List.of());
		this.two.answer(false, List.of());
		assertThat(watching.isLive()).isFalse();
		this.three.answer(false, List.of());
		assertThat(watching.isLive()).isTrue();
	}

	@Test
	void aVersionThatTwoMembersSendAtTwoTimestampsIsReadByACatchUp() {
		catchUp(live(3, new Lineage(OLD.version(), null)));
		assertThat(this.reads).hasSize(1);
	}

	@Test
	void anEntryThatAMajorityHasSentIsNotReadByACatchUp() {
		catchUp(OLD);
		assertThat(this.reads).isEmpty();
	}

	@Test
	void aWatchThatHasWaitedForAPlaceGoesOnWithEachRead() {
		Watching first = new Watching(this.watch.range());
		for (int i = 0; i < WatchRoom.MOST_CATCH_UPS; i++) {
			assertThat(this.feed.room().mayCatchUp(first)).isTrue();
		}
		List<HeaderPage.Header> headers = new ArrayList<>();
		for (int i = 0; i < 3 * Feed.MOST_READS; i++) {
			headers.add(new HeaderPage.Header(Key.of("a/%03d".formatted(i)), Summary.of(OLD), i + 1));
		}
		this.one.page = headers;
		this.two.page = headers;
		Watch watching = begin(new WatchTerms(this.watch.range(), WatchCursor.START, true, false, "p", () -> true));
		pass(100);
		this.feed.room().endCatchUp();
		run();
		for (int i = 0; i < this.reads.size(); i++) {
			this.reads.get(i).success(new ReadOutcome.Found((Entry.Live) OLD));
			run();
		}
		assertThat(watching.isLive()).isTrue();
	}

	private void catchUp(Entry second) {
		this.one.page = List.of(new HeaderPage.Header(KEY, Summary.of(OLD), 1));
		this.two.page = List.of(new HeaderPage.Header(KEY, Summary.of(second), 1));
		var _ = begin(new WatchTerms(this.watch.range(), WatchCursor.START, false, false, "p", () -> true));
	}

	private Watch begin(WatchTerms terms) {
		Watch watching = new Watch(terms, this.feed, new NoClient(), Long.MAX_VALUE, 60_000, false);
		pass(100);
		this.feed.add(watching);
		List.of(this.one, this.two, this.three).forEach((each) -> each.answer(false, List.of()));
		run();
		return watching;
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

		private @Nullable RuntimeException failure;

		private List<HeaderPage.Header> page = List.of();

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
			if (this.failure != null) {
				last.error(this.failure);
			}
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
			return Mono.just(new PageReply.Headers(new HeaderPage(this.page, null)));
		}

	}

	/** A client that takes nothing. */
	private static final class NoClient implements Watch.Client {

		@Override
		public void send(WatchBatch batch) {
			throw new AssertionError(batch);
		}

		@Override
		public void end() {
			throw new AssertionError("the end");
		}

	}

}
