package io.quorate.watch;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.clock.TrueTime;
import io.quorate.coordinator.PreferenceLists;
import io.quorate.coordinator.ReadOutcome;
import io.quorate.coordinator.RefusedException;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Lineage;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.replica.ChangesReply;
import io.quorate.replica.ChangesRequest;
import io.quorate.replica.Failure;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Origin;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import io.quorate.storage.Arrivals;
import io.quorate.storage.HeaderPage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

class WatchesTests {

	private static final Key KEY = Key.of("a/1");

	private static final ScanRange RANGE = ScanRange.ascending(Key.of("a/"), Key.of("a0"));

	private static final Duration STOP = Duration.ofSeconds(5);

	private static final int MOST_BYTES = 4096;

	private long nanos;

	private long millis = 1_000_000;

	private long trueMillis = TrueTime.UNKNOWN;

	private long history = 7;

	private boolean mayRead = true;

	private final Queue<Runnable> turns = new ArrayDeque<>();

	private final Map<Key, Entry> readable = new HashMap<>();

	private final List<Key> reads = new ArrayList<>();

	private final Store one = new Store();

	private PreferenceLists lists = PreferenceLists.alone(this.one);

	private Watches watches = watches(MOST_BYTES);

	private Watches watches(long bytes) {
		return new Watches(
				new Surroundings(() -> this.lists, this::read, this.turns::add,
						new Surroundings.Clocks(() -> this.nanos, () -> this.millis, () -> this.trueMillis),
						() -> this.history, new Surroundings.Bounds(Watch.MOST_EVENTS, bytes)),
				Duration.ofDays(10), STOP, new WatchMetrics(new SimpleMeterRegistry()));
	}

	@Test
	void aClientIsToldOfWhatComesAndOfNothingBefore() {
		put(KEY, "before");
		Client client = watch(null);
		assertThat(client.take()).singleElement().isInstanceOf(WatchEvent.Live.class);
		Entry next = put(Key.of("a/2"), "after");
		assertThat(client.take())
			.containsExactly(new WatchEvent.Put(Key.of("a/2"), next.version(), 5, Versioned.NEVER, null));
	}

	@Test
	void aClientIsNotToldOfKeysOutsideItsRange() {
		Client client = watch(null);
		client.take();
		put(Key.of("b"), "other");
		put(KEY, "own");
		assertThat(client.take()).extracting((event) -> ((WatchEvent.OfKey) event).key()).containsExactly(KEY);
	}

	@Test
	void theStateComesFirstAndThenTheMark() {
		put(KEY, "one");
		put(Key.of("a/2"), "two");
		Client client = watch(WatchCursor.START);
		List<WatchEvent> events = client.take();
		assertThat(events).hasSize(3);
		assertThat(events.getLast()).isInstanceOf(WatchEvent.Live.class);
	}

	@Test
	void theMarkComesAlsoForAnEmptyRange() {
		assertThat(watch(WatchCursor.START).take()).singleElement().isInstanceOf(WatchEvent.Live.class);
	}

	@Test
	void theFirstMarkIsOfATimeAtWhichTheWatchHadBegun() {
		watch(null).take();
		this.millis += 50;
		long begun = this.millis;
		assertThat(watch(null).take()).first()
			.isInstanceOfSatisfying(WatchEvent.Live.class,
					(live) -> assertThat(live.asOfMillis()).isGreaterThanOrEqualTo(begun));
	}

	@Test
	void aRangeWithoutKeysIsLiveAndDisturbsNoOther() {
		ScanRange none = ScanRange.ascending(Key.of("b"), Key.of("a"));
		Client empty = new Client();
		this.watches.watch(new WatchTerms(none, WatchCursor.START, false, false, "p", () -> true)).subscribe(empty);
		run();
		assertThat(empty.take()).singleElement().isInstanceOf(WatchEvent.Live.class);
		Client other = watch(null);
		other.take();
		put(KEY, "one");
		assertThat(other.take()).hasSize(1);
	}

	@Test
	void aSlowClientGetsTheNewestOfEachKeyAtOnce() {
		Client client = watch(null);
		client.take();
		client.isSlow = true;
		put(KEY, "one");
		put(KEY, "two");
		Entry last = put(KEY, "three");
		// The first one was asked for before the client became slow.
		assertThat(client.take()).hasSize(1);
		client.ask();
		run();
		assertThat(client.take()).extracting((event) -> ((WatchEvent.OfKey) event).version())
			.containsExactly(last.version());
	}

	@Test
	void aDeletionIsToldAsSuch() {
		put(KEY, "one");
		Client client = watch(null);
		client.take();
		Entry.Tombstone deletion = new Entry.Tombstone(stamp(), Entry.ALL, null);
		this.one.store(KEY, deletion);
		run();
		assertThat(client.take()).containsExactly(new WatchEvent.Delete(KEY, deletion.version()));
	}

	@Test
	void aRoundThatFindsNothingIsNoEvent() {
		Client client = watch(null);
		client.take();
		this.one.store(KEY, new Entry.Tombstone(stamp(), Entry.ALL, new Lineage(Timestamp.ZERO, null)));
		run();
		assertThat(client.take()).isEmpty();
	}

	@Test
	void aSettledVersionIsNoEventAndATouchIsOne() {
		Client client = watch(null);
		client.take();
		Entry first = put(KEY, "one");
		client.take();
		Entry settled = new Entry.Live(stamp(), Entry.ALL, Versioned.NEVER, value("one"), null,
				new Lineage(first.version(), null));
		this.one.store(KEY, settled);
		run();
		assertThat(client.take()).isEmpty();
		Entry touched = new Entry.Live(stamp(), Entry.ALL, 9_000_000, value("one"), null,
				new Lineage(first.version(), null));
		this.one.store(KEY, touched);
		run();
		assertThat(client.take()).containsExactly(new WatchEvent.Put(KEY, first.version(), 3, 9_000_000, null));
	}

	@Test
	void anExpiredValueIsADeletionOnlyByTheTimeOnWhichTheMembersAgree() {
		Client client = watch(null);
		client.take();
		this.millis = 5_000_000;
		Entry first = live("one", 4_000_000);
		this.one.store(KEY, first);
		run();
		assertThat(client.take()).singleElement().isInstanceOf(WatchEvent.Put.class);
		this.trueMillis = 5_000_000;
		this.one.store(KEY, live("two", 4_000_000));
		run();
		assertThat(client.take()).singleElement().isInstanceOf(WatchEvent.Delete.class);
	}

	@Test
	void anEventHasTheValueIfItIsAskedForAndSmall() {
		Client client = new Client();
		this.watches.watch(new WatchTerms(RANGE, null, true, false, "p", () -> true)).subscribe(client);
		run();
		client.take();
		Entry.Live small = (Entry.Live) put(KEY, "one");
		assertThat(client.take()).containsExactly(new WatchEvent.Put(KEY, small.version(), 3, Versioned.NEVER,
				new WatchEvent.Content(small.value(), null)));
		Entry large = put(KEY, "x".repeat(WatchTerms.MOST_VALUE_BYTES + 1));
		assertThat(client.take()).containsExactly(
				new WatchEvent.Put(KEY, large.version(), WatchTerms.MOST_VALUE_BYTES + 1, Versioned.NEVER, null));
	}

	@Test
	void withoutValuesAMajorityThatHasNamedAnEntryIsEnough() {
		Client client = watch(null);
		client.take();
		put(KEY, "one");
		assertThat(client.take()).hasSize(1);
		assertThat(this.reads).isEmpty();
	}

	@Test
	void aWatchEndsWhenItsClientMayNotReadAnyMore() {
		Client client = watch(null);
		client.take();
		this.mayRead = false;
		pass(6);
		assertThat(client.take()).containsExactly(new WatchEvent.End("rights"));
		assertThat(client.isComplete).isTrue();
	}

	@Test
	void aWatchEndsWithinAnHour() {
		Client client = watch(null);
		for (int i = 0; i < 3600; i++) {
			pass(1);
		}
		assertThat(client.take()).contains(new WatchEvent.End("time"));
	}

	@Test
	void aClientWithoutRightsKeepsACursorBeforeWhatItDidNotGet() {
		Client client = watch(null);
		client.take();
		client.isSlow = true;
		put(KEY, "one");
		put(KEY, "two");
		WatchCursor before = client.cursor();
		this.mayRead = false;
		pass(6);
		client.ask();
		run();
		assertThat(client.take()).endsWith(new WatchEvent.End("rights")).hasSize(2);
		assertThat(client.cursor()).isEqualTo(before);
	}

	@Test
	void eventsThatWaitForAllClientsAreBounded() {
		List<Client> clients = List.of(watch(null), watch(null));
		clients.forEach((client) -> client.isSlow = true);
		int count = 100;
		for (int i = 0; i < count; i++) {
			put(Key.of("a/%03d".formatted(i)), "one");
		}
		clients.forEach(Client::take);
		int bytes = 0;
		for (Client client : clients) {
			client.isSlow = false;
			client.ask();
			run();
			List<WatchEvent> events = client.take();
			bytes += events.stream()
				.takeWhile((event) -> !(event instanceof WatchEvent.Reset))
				.mapToInt((event) -> (event instanceof WatchEvent.OfKey ofKey) ? ofKey.sizeBytes() : 0)
				.sum();
			assertThat(events.stream().dropWhile((event) -> !(event instanceof WatchEvent.Reset)))
				.as("what was left out comes later")
				.hasSize(1 + count + 1);
		}
		assertThat(bytes).isBetween(MOST_BYTES / 2, MOST_BYTES + 2 * WatchEvent.OVERHEAD_BYTES);
	}

	@Test
	void aStopRefusesMoreAndEndsWatchesOneAfterAnother() {
		List<Client> clients = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			clients.add(watch(null));
			clients.getLast().take();
		}
		this.watches.readinessChanged(new AvailabilityChangeEvent<>(this, ReadinessState.REFUSING_TRAFFIC));
		assertThat(subscribe(null).failure).as("before any turn").isInstanceOf(RefusedException.class);
		run();
		assertThat(clients).extracting((client) -> client.isComplete).contains(false);
		pass((int) STOP.toSeconds());
		assertThat(clients).allSatisfy((client) -> {
			assertThat(client.take()).contains(new WatchEvent.End("draining"));
			assertThat(client.isComplete).isTrue();
		});
	}

	@Test
	void watchesWhoseCatchUpHasFallenShortDoNotComeBackTogether() {
		this.one.hasNoPages = true;
		for (int i = 0; i < 10; i++) {
			subscribe(WatchCursor.START);
		}
		run();
		assertThat(this.one.asked).hasSize(10);
		for (int i = 0; i < 10; i++) {
			run();
		}
		assertThat(this.one.asked.subList(10, 20).stream().distinct()).hasSizeGreaterThan(3);
	}

	/* What begins with nothing leaves out deletions. */
	@Test
	void aClientThatBeginsWithNothingLearnsOfNoValueThatIsDeletedThen() {
		this.one.hasNoPages = true;
		Client client = watch(WatchCursor.START);
		client.isSlow = true;
		put(KEY, "one");
		for (int i = 0; i < 100; i++) {
			put(Key.of("a/%03d".formatted(i)), "fills what waits for it");
		}
		this.one.store(KEY, new Entry.Tombstone(stamp(), Entry.ALL, null));
		run();
		this.one.hasNoPages = false;
		client.isSlow = false;
		client.ask();
		for (int i = 0; i < 5; i++) {
			pass(1);
		}
		List<WatchEvent> events = client.take();
		assertThat(events).last().isInstanceOf(WatchEvent.Live.class);
		assertThat(events).noneMatch((event) -> event instanceof WatchEvent.Put put && put.key().equals(KEY));
	}

	@Test
	void aSlowClientLeavesItsPlaceToAnotherThatCatchesUp() {
		for (int i = 0; i < 2 * Watch.MOST_EVENTS; i++) {
			put(Key.of("a/%04d".formatted(i)), "one");
		}
		for (int i = 0; i < WatchRoom.MOST_CATCH_UPS; i++) {
			Client slow = new Client();
			slow.isSlow = true;
			this.watches.watch(new WatchTerms(RANGE, WatchCursor.START, false, false, "p", () -> true)).subscribe(slow);
			run();
		}
		Client other = new Client();
		this.watches.watch(new WatchTerms(ScanRange.only(KEY), WatchCursor.START, false, false, "p", () -> true))
			.subscribe(other);
		for (int i = 0; i < 5; i++) {
			pass(1);
		}
		assertThat(other.take()).last().isInstanceOf(WatchEvent.Live.class);
	}

	@Test
	void slowClientsTakeNoEventsFromAnother() {
		this.watches = watches(1000L * Watches.MOST);
		ScanRange own = ScanRange.only(Key.of("b"));
		Client other = new Client();
		this.watches.watch(new WatchTerms(own, null, false, false, "p", () -> true)).subscribe(other);
		List<Client> clients = new ArrayList<>();
		for (int i = 0; i < 30; i++) {
			clients.add(watch(null));
			clients.getLast().isSlow = true;
		}
		for (int i = 0; i < Watch.MOST_EVENTS; i++) {
			put(Key.of("a/%04d".formatted(i)), "one");
		}
		other.take();
		Entry next = put(Key.of("b"), "own");
		assertThat(other.take())
			.containsExactly(new WatchEvent.Put(Key.of("b"), next.version(), 3, Versioned.NEVER, null));
	}

	@Test
	void aNodeAloneAdoptsAnotherLayoutUnnoticed() {
		Client client = watch(null);
		client.take();
		this.lists = PreferenceLists.alone(this.one);
		put(KEY, "one");
		assertThat(client.take()).singleElement().isInstanceOf(WatchEvent.Put.class);
	}

	@Test
	void onePrincipalHasHalfOfTheWatches() {
		for (int i = 0; i < Watches.MOST / 2; i++) {
			assertThat(watch(null).failure).isNull();
		}
		Client more = watch(null);
		assertThat(more.failure).isInstanceOf(RefusedException.class);
		Client other = new Client();
		this.watches.watch(new WatchTerms(RANGE, null, false, false, "other", () -> true)).subscribe(other);
		run();
		assertThat(other.failure).isNull();
	}

	@Test
	void aWatchThatEndsMakesRoom() {
		List<Client> clients = new ArrayList<>();
		for (int i = 0; i < Watches.MOST / 2; i++) {
			clients.add(watch(null));
		}
		clients.getFirst().cancel();
		run();
		assertThat(watch(null).failure).isNull();
	}

	@Test
	void aCursorOfAnotherHistoryIsLost() {
		Client client = watch(null);
		client.take();
		WatchCursor cursor = client.cursor();
		this.history++;
		assertThat(watch(cursor).failure).isInstanceOf(CursorLostException.class);
	}

	@Test
	void aCursorIsNotLostAtANodeThatHasYetToLearnItsHistory() {
		Client client = watch(null);
		client.take();
		WatchCursor cursor = client.cursor();
		this.history = Surroundings.UNKNOWN_HISTORY;
		Client early = watch(cursor);
		pass(1);
		assertThat(early.failure).isNull();
		assertThat(early.take()).isEmpty();
		this.history = cursor.origin().history();
		pass(1);
		assertThat(early.take()).last().isInstanceOf(WatchEvent.Live.class);
	}

	@Test
	void aClientForgetsWhatItKnowsWhenItsNodeLearnsOfAnotherHistory() {
		put(KEY, "one");
		Client client = watch(null);
		client.take();
		this.history = Surroundings.UNKNOWN_HISTORY;
		Client early = watch(client.cursor());
		this.history = 8;
		pass(1);
		List<WatchEvent> events = early.take();
		assertThat(events).hasSize(3);
		assertThat(events.getFirst()).isInstanceOf(WatchEvent.Reset.class);
		assertThat(events.getLast()).isInstanceOf(WatchEvent.Live.class);
	}

	@Test
	void aCursorThatIsAsOldAsTheGracePeriodIsLost() {
		Client client = watch(null);
		client.take();
		WatchCursor cursor = client.cursor();
		this.millis += Duration.ofDays(10).toMillis();
		assertThat(watch(cursor).failure).isInstanceOf(CursorLostException.class);
	}

	@Test
	void theCursorOfAStalledWatchIsAsOldAsWhatItsClientKnows() {
		Client client = watch(null);
		client.take();
		this.one.isSilent = true;
		long silentMillis = this.millis;
		for (int i = 0; i < 20; i++) {
			pass(1);
		}
		assertThat(client.take()).hasSizeGreaterThan(1);
		assertThat(client.cursor().origin().millis()).isLessThanOrEqualTo(silentMillis);
	}

	@Test
	void aBrowserWithALostCursorIsToldToForgetAndGetsTheState() {
		put(KEY, "one");
		Client client = watch(null);
		client.take();
		WatchCursor cursor = client.cursor();
		this.history++;
		Client browser = new Client();
		this.watches.watch(new WatchTerms(RANGE, cursor, false, true, "p", () -> true)).subscribe(browser);
		run();
		List<WatchEvent> events = browser.take();
		assertThat(events).hasSize(3);
		assertThat(events.getFirst()).isInstanceOf(WatchEvent.Reset.class);
		assertThat(events.getLast()).isInstanceOf(WatchEvent.Live.class);
	}

	@Test
	void aNodeAloneBeginsAnewBecauseItsDeletionsLeaveNothing() {
		put(KEY, "one");
		Client client = watch(WatchCursor.START);
		client.take();
		Client back = watch(client.cursor());
		assertThat(back.take().getFirst()).isInstanceOf(WatchEvent.Reset.class);
	}

	@Test
	void aQuietWatchGivesASignOfLife() {
		Client client = watch(null);
		client.take();
		for (int i = 0; i < 16; i++) {
			pass(1);
		}
		assertThat(client.take()).isNotEmpty().allMatch((event) -> event instanceof WatchEvent.Live);
	}

	@Test
	void aWatchOfASilentReplicaIsStalledUntilItAnswers() {
		Client client = watch(null);
		client.take();
		this.one.isSilent = true;
		for (int i = 0; i < 5; i++) {
			pass(1);
		}
		assertThat(client.take()).containsExactly(new WatchEvent.Stalled(List.of("n1")));
		this.one.isSilent = false;
		for (int i = 0; i < 3; i++) {
			pass(1);
		}
		assertThat(client.take()).singleElement().isInstanceOf(WatchEvent.Live.class);
	}

	private Client watch(@Nullable WatchCursor cursor) {
		Client client = subscribe(cursor);
		run();
		return client;
	}

	private Client subscribe(@Nullable WatchCursor cursor) {
		Client client = new Client();
		this.watches.watch(new WatchTerms(RANGE, cursor, false, false, "p", () -> this.mayRead)).subscribe(client);
		return client;
	}

	private static Value value(String text) {
		return Value.wrap(text.getBytes(StandardCharsets.UTF_8));
	}

	private Timestamp stamp() {
		return Timestamp.ofMillis(++this.millis);
	}

	private Entry live(String value, long expiryMillis) {
		Timestamp stamp = stamp();
		return new Entry.Live(stamp, Entry.ALL, expiryMillis, value(value), null, null);
	}

	private Entry put(Key key, String value) {
		Entry entry = live(value, Versioned.NEVER);
		this.readable.put(key, entry);
		this.one.store(key, entry);
		run();
		return entry;
	}

	private Mono<ReadOutcome> read(Key key, boolean isOfAll) {
		this.reads.add(key);
		return (this.readable.get(key) instanceof Entry.Live live) ? Mono.just(new ReadOutcome.Found(live))
				: Mono.just(new ReadOutcome.Missing());
	}

	private void run() {
		for (int i = 0; i < 20; i++) {
			while (!this.turns.isEmpty()) {
				this.turns.remove().run();
			}
			this.nanos += TimeUnit.MILLISECONDS.toNanos(10);
			this.one.arrivals.tick();
			this.turns.add(this.watches::tick);
		}
	}

	private void pass(int seconds) {
		this.nanos += TimeUnit.SECONDS.toNanos(seconds);
		this.millis += 1000L * seconds;
		run();
	}

	/** A client, which asks for one batch after another. */
	private static final class Client extends BaseSubscriber<WatchBatch> {

		private final List<WatchBatch> batches = new ArrayList<>();

		private @Nullable WatchCursor cursor;

		private @Nullable Throwable failure;

		private boolean isComplete;

		private boolean isSlow;

		@Override
		protected void hookOnSubscribe(Subscription subscription) {
			subscription.request(1);
		}

		@Override
		protected void hookOnNext(WatchBatch batch) {
			this.batches.add(batch);
			this.cursor = (batch.cursor() != null) ? batch.cursor() : this.cursor;
			if (!this.isSlow) {
				request(1);
			}
		}

		private void ask() {
			request(1);
		}

		@Override
		protected void hookOnError(Throwable failed) {
			this.failure = failed;
		}

		@Override
		protected void hookOnComplete() {
			this.isComplete = true;
		}

		private WatchCursor cursor() {
			WatchCursor last = this.cursor;
			assertThat(last).isNotNull();
			return WatchCursor.parse(last.toText()).orElseThrow();
		}

		/** The events since the last call. */
		private List<WatchEvent> take() {
			List<WatchEvent> events = this.batches.stream().flatMap((batch) -> batch.events().stream()).toList();
			this.batches.clear();
			return events;
		}

	}

	/** The only replica. */
	private final class Store implements Replica {

		private final Arrivals arrivals = new Arrivals(0, () -> WatchesTests.this.nanos);

		private final NavigableMap<Key, HeaderPage.Header> headers = new TreeMap<>();

		private long sequence;

		private boolean isSilent;

		private boolean hasNoPages;

		/* The instants at which pages were asked for. */
		private final List<Long> asked = new ArrayList<>();

		private void store(Key key, Entry entry) {
			this.sequence++;
			this.headers.put(key, new HeaderPage.Header(key, Summary.of(entry), this.sequence));
			this.arrivals.arrived(this.sequence,
					() -> List.of(new Arrivals.Name(key, this.sequence, Summary.of(entry))));
		}

		@Override
		public String nodeId() {
			return "n1";
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
			this.asked.add(WatchesTests.this.nanos);
			if (this.hasNoPages) {
				return Mono.just(new PageReply.Failed(new Failure(Reason.FAILED, "no pages")));
			}
			List<HeaderPage.Header> page = this.headers.tailMap(request.range().start())
				.values()
				.stream()
				.filter((header) -> !request.range().isPassedBy(header.key()) && header.sequence() > request.above())
				.toList();
			return Mono.just(new PageReply.Headers(new HeaderPage(page, null)));
		}

		@Override
		public Mono<ChangesReply> changes(ChangesRequest request, Deadline deadline) {
			return Mono.create((sink) -> {
				Arrivals.Page page = this.arrivals.after(request.epoch(), request.after(), request.ranges(), 100);
				if (this.isSilent) {
					sink.success(new ChangesReply.Failed(new Failure(Reason.TIMEOUT, "silent")));
					return;
				}
				if (request.after() == Arrivals.NOW || page.isGap() || !page.names().isEmpty()) {
					sink.success(new ChangesReply.Changes(page));
					return;
				}
				var _ = this.arrivals.await(page, request.ranges(),
						WatchesTests.this.nanos + TimeUnit.MILLISECONDS.toNanos(request.waitMillis()),
						() -> sink.success(new ChangesReply.Changes(
								this.arrivals.after(request.epoch(), request.after(), request.ranges(), 100))));
			});
		}

	}

}
