package io.quorate.replica;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Deadline;
import io.quorate.clock.HybridClock;
import io.quorate.clock.NoCeiling;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.KeyRanges;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.replica.Failure.Reason;
import io.quorate.storage.Arrivals.Name;
import io.quorate.storage.Arrivals.Page;
import io.quorate.storage.Arrivals;
import io.quorate.storage.PageLimit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/** Requests for arrivals, with the clock of the store by hand. */
class LocalChangesTests {

	private static final KeyRanges A_TO_C = KeyRanges.of(List.of(ScanRange.ascending(Key.of("a"), Key.of("c"))));

	private static final Failure CLOSED = new Failure(Reason.REBUILDING, "planted");

	private final KeptStore store = new KeptStore();

	private final Queue<Runnable> loop = new ArrayDeque<>();

	private boolean isStopped;

	private @Nullable Failure closed;

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final LocalReplica replica = new LocalReplica("a", this.store,
			new HybridClock(() -> 1, 1, new NoCeiling(), 0), () -> this::execute, new ReplicaGates(() -> this.closed,
					(_, _, _) -> null, new SkewJudge(() -> 1, () -> 0, Duration.ofSeconds(60))),
			this.registry);

	private final List<ChangesReply> replies = new ArrayList<>();

	private long epoch;

	private void execute(Runnable task) {
		if (this.isStopped) {
			throw new RejectedExecutionException();
		}
		this.loop.add(task);
	}

	@BeforeEach
	void begin() {
		this.epoch = page(this.replica.changes(request(Arrivals.NOW, 1000), soon()).block()).epoch();
	}

	@Test
	void aCallerThatAsksForThePresentDoesNotWait() {
		assertThat(this.replica.changes(request(Arrivals.NOW, 1000), soon()).block())
			.isEqualTo(changes(List.of(), 10, false));
	}

	@Test
	void anArrivalIsAnsweredAtOnce() {
		arrive(11, "a");
		arrive(12, "z");
		assertThat(this.replica.changes(request(10, 1000), soon()).block())
			.isEqualTo(changes(List.of(name(11, "a")), 12, false));
	}

	@Test
	void aGapIsAnsweredAtOnce() {
		assertThat(this.replica.changes(request(9, 1000), soon()).block()).isEqualTo(changes(List.of(), 10, true));
		ChangesRequest ofAnotherEpoch = new ChangesRequest(A_TO_C, this.epoch + 1, 10, 1000);
		assertThat(this.replica.changes(ofAnotherEpoch, soon()).block()).isEqualTo(changes(List.of(), 10, true));
	}

	@Test
	void aCallerThatDoesNotWaitIsAnsweredAtOnce() {
		arrive(11, "z");
		assertThat(this.replica.changes(request(10, 0), soon()).block()).isEqualTo(changes(List.of(), 11, false));
		assertThat(this.replica.changes(request(10, -1), soon()).block()).isEqualTo(changes(List.of(), 11, false));
	}

	@Test
	void aCallerThatWaitsIsAnsweredByItsExecutorWhenAnEntryArrives() {
		ask(request(10, 1000));
		arrive(11, "z");
		assertThat(this.loop).as("of another range").isEmpty();
		arrive(12, "b");
		arrive(13, "a");
		assertThat(this.replies).as("on the thread that writes").isEmpty();
		assertThat(this.loop).hasSize(1);
		this.loop.remove().run();
		assertThat(this.replies).containsExactly(changes(List.of(name(12, "b"), name(13, "a")), 13, false));
	}

	@Test
	void anArrivalBeforeTheWaitBeginsEndsIt() {
		Mono<ChangesReply> reply = this.replica.changes(request(10, 1000), soon());
		arrive(11, "a");
		reply.subscribe(this.replies::add);
		this.loop.remove().run();
		assertThat(this.replies).containsExactly(changes(List.of(name(11, "a")), 11, false));
	}

	@Test
	void aWaitEndsAtItsTimeWithWhatHasBeenPassed() {
		ask(request(10, 300));
		arrive(11, "z");
		pass(299);
		assertThat(this.loop).isEmpty();
		pass(1);
		this.loop.remove().run();
		assertThat(this.replies).containsExactly(changes(List.of(), 11, false));
	}

	@Test
	void noWaitIsLongerThanASecond() {
		ask(request(10, 60_000));
		pass(999);
		assertThat(this.loop).isEmpty();
		pass(1);
		assertThat(this.loop).hasSize(1);
	}

	@Test
	void aWaitEndsWithItsDeadline() {
		do {
			this.replies.clear();
			this.replica.changes(request(10, 1000), Deadline.after(Duration.ofMillis(900)))
				.subscribe(this.replies::add);
		}
		while (!this.replies.isEmpty());
		pass(900);
		this.loop.remove().run();
		assertThat(this.replies).containsExactly(changes(List.of(), 10, false));
	}

	@Test
	void aRequestPastItsDeadlineIsRefused() {
		assertThat(this.replica.changes(request(10, 1000), Deadline.after(Duration.ofNanos(-1))).block())
			.isInstanceOfSatisfying(ChangesReply.Failed.class,
					(failed) -> assertThat(failed.failure().reason()).isEqualTo(Reason.TIMEOUT));
	}

	@Test
	void aClosedGateRefusesAlsoWhoWaitsAlready() {
		ask(request(10, 1000));
		this.closed = CLOSED;
		arrive(11, "a");
		assertThat(this.replica.changes(request(10, 1000), soon()).block()).isEqualTo(new ChangesReply.Failed(CLOSED));
		assertThat(this.replica.changes(request(Arrivals.NOW, 0), soon()).block())
			.isEqualTo(new ChangesReply.Failed(CLOSED));
		this.loop.remove().run();
		assertThat(this.replies).containsExactly(new ChangesReply.Failed(CLOSED));
	}

	@Test
	void aCallerThatWaitsLearnsThatDataWasSetAside() {
		ask(request(10, 1000));
		this.store.arrivals.renew();
		this.loop.remove().run();
		assertThat(this.replies).singleElement().satisfies((reply) -> {
			assertThat(page(reply).isGap()).isTrue();
			assertThat(page(reply).epoch()).isNotEqualTo(this.epoch);
		});
	}

	@Test
	void aCallerThatHasLeftIsNotAnswered() {
		Disposable waiting = this.replica.changes(request(10, 1000), soon()).subscribe(this.replies::add);
		waiting.dispose();
		arrive(11, "a");
		pass(2000);
		assertThat(this.loop).isEmpty();
	}

	@Test
	void aThreadThatHasStoppedDoesNotHarmTheOneThatWrites() {
		ask(request(10, 1000));
		this.isStopped = true;
		arrive(11, "a");
		assertThat(this.replies).isEmpty();
	}

	@Test
	void aReplyHasBoundedNamesAndBytes() {
		for (int i = 0; i < 2000; i++) {
			arrive(11 + i, "a");
		}
		Page many = page(this.replica.changes(request(10, 0), soon()).block());
		assertThat(many.names()).hasSize(ChangesRequest.MOST_NAMES);
		assertThat(many.through()).isEqualTo(10 + ChangesRequest.MOST_NAMES);
		for (int i = 0; i < 100; i++) {
			arrive(2011 + i, "b".repeat(Key.MAX_SIZE_BYTES));
		}
		Page longKeys = page(this.replica.changes(request(2010, 0), soon()).block());
		int each = name(1, "b".repeat(Key.MAX_SIZE_BYTES)).sizeBytes();
		assertThat(longKeys.names()).hasSize(ChangesRequest.MOST_BYTES / each);
		assertThat(longKeys.through()).isEqualTo(2010 + ChangesRequest.MOST_BYTES / each);
	}

	@Test
	void aRequestIsNotTimed() {
		ask(request(10, 1000));
		arrive(11, "a");
		this.loop.remove().run();
		assertThat(this.registry.find(ReplicaMeters.LOCAL.getName()).timers())
			.allSatisfy((timer) -> assertThat(timer.count()).isZero());
	}

	@Test
	void aPageOfHeadersAboveANumberAsksTheStoreForThem() {
		ScanRange range = ScanRange.ascending(Key.of("a"), null);
		this.replica.page(new PageRequest(range, new PageLimit(1, 1, 1), true, 77), soon()).block();
		assertThat(this.store.pages).containsExactly("headers of " + range + " above 77");
	}

	private void ask(ChangesRequest request) {
		this.replica.changes(request, soon()).subscribe(this.replies::add);
		assertThat(this.replies).isEmpty();
	}

	private ChangesRequest request(long after, int waitMillis) {
		return new ChangesRequest(A_TO_C, this.epoch, after, waitMillis);
	}

	private void arrive(long sequence, String key) {
		this.store.arrivals.arrived(sequence, () -> List.of(name(sequence, key)));
	}

	private void pass(long millis) {
		this.store.nanos += TimeUnit.MILLISECONDS.toNanos(millis);
		this.store.arrivals.tick();
	}

	private ChangesReply changes(List<Name> names, long through, boolean isGap) {
		return new ChangesReply.Changes(new Page(names, this.epoch, through, isGap));
	}

	private static Page page(@Nullable ChangesReply reply) {
		assertThat(reply).isInstanceOf(ChangesReply.Changes.class);
		return ((ChangesReply.Changes) reply).page();
	}

	private static Name name(long sequence, String key) {
		return new Name(Key.of(key), sequence,
				new Summary(Timestamp.ofMillis(sequence), false, 3, Entry.NEVER, (int) sequence));
	}

	private static Deadline soon() {
		return Deadline.after(Duration.ofMinutes(1));
	}

}
