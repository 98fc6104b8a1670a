package io.quorate.internode.peer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Timer;
import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.KeyRanges;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.internode.InternodeMeters;
import io.quorate.internode.context.PeerListener;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.membership.members.MemberState;
import io.quorate.meter.TraceContext;
import io.quorate.replica.ChangesReply;
import io.quorate.replica.ChangesRequest;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.replica.comparison.PeerComparison;
import io.quorate.storage.Arrivals;
import io.quorate.storage.PageLimit;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;

import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/** Requests for arrivals to a peer, over real sockets. */
class PeerChangesTests {

	private static final KeyRanges RANGES = KeyRanges
		.of(List.of(ScanRange.ascending(Key.of("a"), Key.of("b")), ScanRange.ascending(Key.of("c"), null)));

	private static final ChangesRequest REQUEST = new ChangesRequest(RANGES, 77, 88, 1000);

	private static final Summary SUMMARY = new Summary(new Timestamp(5, 6), false, 3, Entry.NEVER, 9);

	private final InternodeFixture nodes = new InternodeFixture();

	@SuppressWarnings("NullAway.Init")
	private InternodeServer server;

	@SuppressWarnings("NullAway.Init")
	private PeerReplica peer;

	@BeforeEach
	void connect() {
		this.server = this.nodes.serve();
		this.peer = this.nodes.connected(this.server.port());
	}

	@AfterEach
	void close() {
		this.nodes.replica.proceed();
		await(() -> {
			assertThat(this.peer.requestsInFlight()).isZero();
			assertThat(this.peer.bytesInFlight()).isZero();
			assertThat(this.server.requestsInWork()).isZero();
			assertThat(this.server.bytesInFlight()).isZero();
		});
		this.nodes.close();
	}

	@Test
	void aRequestReachesTheReplicaAndItsReplyComesBack() {
		Arrivals.Page page = new Arrivals.Page(List.of(new Arrivals.Name(Key.of("a"), 89, SUMMARY),
				new Arrivals.Name(Key.of("z"), 90, SUMMARY, false)), 77, 91, false);
		Arrivals.Page gap = new Arrivals.Page(List.of(), 78, 92, true);
		Failure failure = new Failure(Reason.REBUILDING, "because 42");
		for (ChangesReply said : List.of(new ChangesReply.Changes(page), new ChangesReply.Changes(gap),
				new ChangesReply.Failed(failure))) {
			this.nodes.replica.sayToChanges(said);
			assertThat(this.peer.changes(REQUEST, soon()).block(PATIENCE)).isEqualTo(said);
		}
		assertThat(this.nodes.replica.ofChanges).hasSize(3).containsOnly(REQUEST);
	}

	@Test
	void aPageOfHeadersAboveANumberReachesTheReplica() {
		PageRequest page = new PageRequest(ScanRange.ascending(Key.of("a"), null), new PageLimit(4000, 999, 555), true,
				0x1234_5678_9abcL);
		assertThat(this.peer.page(page, soon()).block(PATIENCE)).isInstanceOf(PageReply.Headers.class);
		assertThat(this.nodes.replica.ofPages).containsExactly(
				new PageRequest(page.range(), new PageLimit(PeerComparison.MAX_HEADERS, 999, 555), true, page.above()));
	}

	@Test
	void asManyArrivalsComeAsFitIntoASmallMessage() {
		Arrivals.Name longest = new Arrivals.Name(Key.of("k".repeat(Key.MAX_SIZE_BYTES)), 89, SUMMARY);
		this.nodes.replica.sayToChanges(
				new ChangesReply.Changes(new Arrivals.Page(Collections.nCopies(1024, longest), 77, 91, false)));
		int most = ChangesRequest.MOST_BYTES / longest.sizeBytes();
		assertThat(this.peer.changes(REQUEST, soon()).block(PATIENCE)).isEqualTo(
				new ChangesReply.Changes(new Arrivals.Page(Collections.nCopies(most, longest), 77, 89, false, true)));
		assertThat(this.nodes.replica.ofChanges).as("requests").hasSize(1);
	}

	/* Keep-alives tell that it is there. */
	@Test
	void aPeerThatWaitsIsNeverSuspect() {
		List<MemberState> states = new ArrayList<>();
		try (DrivenNodes driven = new DrivenNodes()) {
			driven.serve(InternodeFixture.PROPERTIES);
			PeerReplica waiting = driven.peer(InternodeFixture.CLIENT, InternodeFixture.FEW_SIGNS_OF_LIFE,
					new PeerListener() {

						@Override
						public void stateChanged(String id, MemberState state) {
							states.add(state);
						}

					});
			driven.settle();
			driven.replica.keepBack();
			CompletableFuture<ChangesReply> reply = new CompletableFuture<>();
			var _ = waiting.changes(REQUEST, Deadline.none()).subscribe(reply::complete);
			for (int i = 0; i < 100; i++) {
				driven.pass(InternodeFixture.FEW_SIGNS_OF_LIFE.suspectAfter());
			}
			assertThat(reply).isNotDone();
			assertThat(states).containsExactly(MemberState.UP);
			driven.replica.proceed();
			assertThat(driven.outcome(reply)).isInstanceOf(ChangesReply.Changes.class);
		}
	}

	@Test
	void aWaitCountsInNoLatencyAndNoTrace() {
		List<String> spans = new CopyOnWriteArrayList<>();
		this.nodes.serverSpans = (place, work) -> (_) -> spans.add(work);
		PeerReplica traced = this.nodes.connected(this.nodes.serve().port(), InternodeFixture.FEW_SIGNS_OF_LIFE);
		traced.within(new TraceContext(1, 2, 3)).changes(REQUEST, soon()).block(PATIENCE);
		assertThat(traced.latencyNanos()).isZero();
		assertThat(spans).isEmpty();
		assertThat(this.nodes.clientMeters.find(InternodeMeters.REQUEST.getName()).timers())
			.allSatisfy((timer) -> assertThat(timer.count()).isZero())
			.extracting((Timer timer) -> timer.getId().getTag("operation"))
			.doesNotContain("changes");
	}

	@Test
	void aCallerThatGivesUpWaitsNoMoreAtThePeerEither() {
		this.nodes.replica.keepBack();
		Disposable waiting = this.peer.changes(REQUEST, soon()).subscribe();
		await(() -> assertThat(this.server.requestsInWork()).as("while it waits").isOne());
		waiting.dispose();
		await(() -> assertThat(this.nodes.replica.cancelled()).isOne());
	}

	@Test
	void waitsCountAsRequestsOfThePeer() {
		PeerReplica bounded = this.nodes.connected(this.server.port(), InternodeFixture.with(3, 48));
		this.nodes.replica.keepBack();
		List<CompletableFuture<@Nullable ChangesReply>> waits = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			waits.add(bounded.changes(REQUEST, soon()).toFuture());
		}
		assertThat(bounded.changes(REQUEST, soon()).block(PATIENCE)).isInstanceOfSatisfying(ChangesReply.Failed.class,
				(failed) -> assertThat(failed.failure().reason()).isEqualTo(Reason.OVERLOADED));
		await(() -> assertThat(this.nodes.replica.ofChanges).hasSize(3));
		this.nodes.replica.proceed();
		assertThat(waits).allSatisfy((wait) -> assertThat(wait.orTimeout(1, TimeUnit.MINUTES).join())
			.isInstanceOf(ChangesReply.Changes.class));
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().pollInterval(Duration.ofMillis(5)).untilAsserted(assertion);
	}

}
