package io.quorate.internode.peer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Value;
import io.quorate.internode.FreezableProxy;
import io.quorate.internode.context.PeerListener;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.membership.members.MemberState;
import io.quorate.meter.TraceContext;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Origin;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import io.quorate.storage.PageLimit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.PATIENT;
import static io.quorate.internode.wiring.InternodeFixture.in;
import static io.quorate.internode.wiring.InternodeFixture.key;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.reason;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static io.quorate.internode.wiring.InternodeFixture.with;
import static org.assertj.core.api.Assertions.assertThat;

/** Requests to a peer, over real sockets. */
class PeerReplicaTests {

	private static final Key KEY = Key.of("key");

	private final InternodeFixture nodes = new InternodeFixture();

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void writesAndReadsReachTheReplica() {
		PeerReplica peer = this.nodes.connected(this.nodes.serve().port());
		Entry entry = new Entry.Live(new Timestamp(5, 6), 3, 123_456, Value.wrap(new byte[] { 1, 2, 3 }));
		assertThat(peer.apply(KEY, entry, soon()).block(PATIENCE)).isEqualTo(WriteReply.Applied.COMPLETE);
		assertThat(this.nodes.replica.get(KEY)).isEqualTo(entry);
		assertThat(peer.read(KEY, soon()).block(PATIENCE)).isEqualTo(new ReadReply.Found(entry));
		assertThat(peer.read(Key.of("other"), soon()).block(PATIENCE)).isEqualTo(new ReadReply.Absent());
		Entry tombstone = new Entry.Tombstone(new Timestamp(7, 8), 1);
		assertThat(peer.apply(KEY, tombstone, soon()).block(PATIENCE)).isEqualTo(WriteReply.Applied.COMPLETE);
		assertThat(peer.read(KEY, soon()).block(PATIENCE)).isEqualTo(new ReadReply.Found(tombstone));
		assertThat(peer.latencyNanos()).isPositive();
	}

	@Test
	void pagesComeWithWhereTheNextBegins() {
		PeerReplica peer = this.nodes.connected(this.nodes.serve().port());
		for (int i = 0; i < 10; i++) {
			this.nodes.replica.put(key(i), live(100 * i));
		}
		PageReply first = peer.page(key(2), key(8), new PageLimit(4, 1 << 20, 100), soon()).block(PATIENCE);
		assertThat(first).isInstanceOfSatisfying(PageReply.Page.class, (page) -> {
			assertThat(page.page().records()).extracting((item) -> item.key())
				.containsExactly(key(2), key(3), key(4), key(5));
			assertThat(page.page().records().get(3).entry()).isEqualTo(live(500));
			assertThat(page.page().next()).isEqualTo(key(6));
		});
		PageReply last = peer.page(key(6), null, new PageLimit(100, 1 << 20, 100), soon()).block(PATIENCE);
		assertThat(last).isInstanceOfSatisfying(PageReply.Page.class, (page) -> {
			assertThat(page.page().records()).hasSize(4);
			assertThat(page.page().next()).isNull();
		});
	}

	@Test
	void pagesComeWithoutValuesAndInDescendingOrder() {
		PeerReplica peer = this.nodes.connected(this.nodes.serve().port());
		for (int i = 0; i < 10; i++) {
			this.nodes.replica.put(key(i), live(100 * i));
		}
		PageLimit limit = new PageLimit(3, 1 << 20, 100);
		PageRequest up = new PageRequest(ScanRange.ascending(key(2), key(8)), limit, true);
		assertThat(peer.page(up, soon()).block(PATIENCE)).isInstanceOfSatisfying(PageReply.Headers.class, (page) -> {
			assertThat(page.page().headers()).extracting((header) -> header.key())
				.containsExactly(key(2), key(3), key(4));
			assertThat(page.page().headers()).extracting((header) -> header.valueSizeBytes())
				.containsExactly(200, 300, 400);
			assertThat(page.page().next()).isEqualTo(key(5));
		});
		PageRequest down = new PageRequest(ScanRange.descending(key(2), key(8)), limit, false);
		assertThat(peer.page(down, soon()).block(PATIENCE)).isInstanceOfSatisfying(PageReply.Page.class, (page) -> {
			assertThat(page.page().records()).extracting((item) -> item.key()).containsExactly(key(7), key(6), key(5));
			assertThat(page.page().next()).isEqualTo(key(5));
		});
		assertThat(this.nodes.replica.headerPages()).as("pages without values").isOne();
	}

	@Test
	void aTraceIsPassedOn() {
		List<String> spans = new CopyOnWriteArrayList<>();
		this.nodes.serverSpans = (place, work) -> (outcome) -> spans.add("%s %s %s".formatted(place, work, outcome));
		PeerReplica peer = this.nodes.connected(this.nodes.serve().port());
		TraceContext place = new TraceContext(1, 2, 3);
		peer.within(place).read(key(1), soon()).block(PATIENCE);
		peer.within(place).apply(key(1), live(10), soon()).block(PATIENCE);
		peer.read(key(1), soon()).block(PATIENCE);
		await(() -> assertThat(spans).containsExactly(place + " read answered", place + " apply answered"));
	}

	@ParameterizedTest
	@EnumSource(Reason.class)
	void failureOfTheReplicaArrivesAsItIs(Reason reason) {
		PeerReplica peer = this.nodes.connected(this.nodes.serve().port());
		Failure failure = new Failure(reason, "because 42");
		this.nodes.replica.sayToWrites(new WriteReply.Failed(failure));
		this.nodes.replica.sayToReads(new ReadReply.Failed(failure));
		assertThat(peer.apply(KEY, live(1), soon()).block(PATIENCE)).isEqualTo(new WriteReply.Failed(failure));
		assertThat(peer.read(KEY, soon()).block(PATIENCE)).isEqualTo(new ReadReply.Failed(failure));
	}

	@Test
	void originOfAnEntryArrivesWithIt() {
		PeerReplica peer = this.nodes.connected(this.nodes.serve().port());
		for (Origin origin : List.of(Origin.CLIENT, Origin.HINT, new Origin.Stream(-42))) {
			peer.apply(KEY, live(1), origin, soon()).block(PATIENCE);
			assertThat(this.nodes.replica.lastOrigin()).isEqualTo(origin);
		}
		peer.apply(KEY, live(1), soon()).block(PATIENCE);
		assertThat(this.nodes.replica.lastOrigin()).isEqualTo(Origin.CLIENT);
	}

	@Test
	void theAckOfAReplicaThatMayHaveLostSomethingSaysSo() {
		PeerReplica peer = this.nodes.connected(this.nodes.serve().port());
		this.nodes.replica.sayToWrites(WriteReply.Applied.INCOMPLETE);
		assertThat(peer.apply(KEY, live(1), soon()).block(PATIENCE)).isEqualTo(WriteReply.Applied.INCOMPLETE);
	}

	@Test
	void supersededArrivesWithItsTimestamp() {
		PeerReplica peer = this.nodes.connected(this.nodes.serve().port());
		this.nodes.replica.sayToWrites(new WriteReply.Superseded(new Timestamp(-9, -8), true));
		assertThat(peer.apply(KEY, live(1), soon()).block(PATIENCE))
			.isEqualTo(new WriteReply.Superseded(new Timestamp(-9, -8), true));
	}

	@Test
	void requestIsSentBeforeAnybodyListensToItsReply() {
		PeerReplica peer = this.nodes.connected(this.nodes.serve().port());
		Mono<WriteReply> reply = peer.apply(KEY, live(1), soon());
		await(() -> assertThat(this.nodes.replica.calls()).isEqualTo(1));
		assertThat(reply.block(PATIENCE)).isEqualTo(WriteReply.Applied.COMPLETE);
	}

	@Test
	void tenThousandRequestsGetTheirOwnReplies() {
		int count = 10_000;
		PeerReplica peer = this.nodes.connected(this.nodes.serve().port(), with(count, 48));
		List<Mono<ReadReply>> wrong = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			Entry entry = live(Value.wrap(("value " + i).getBytes(StandardCharsets.UTF_8)));
			this.nodes.replica.put(key(i), entry);
			wrong.add(peer.read(key(i), Deadline.after(Duration.ofSeconds(60)))
				.filter((reply) -> !reply.equals(new ReadReply.Found(entry))));
		}
		assertThat(Flux.merge(wrong).collectList().block(Duration.ofSeconds(60))).isEmpty();
		assertThat(this.nodes.replica.calls()).isEqualTo(count);
		assertIdle(peer);
	}

	@Test
	void withoutAConnectionRequestsFailAtOnce() {
		InternodeServer server = this.nodes.serve();
		int port = server.port();
		server.close();
		PeerReplica peer = this.nodes.peer(port);
		assertThat(reason(peer.apply(KEY, live(1), soon()).block(PATIENCE))).isEqualTo(Reason.DISCONNECTED);
		assertThat(reason(peer.read(KEY, soon()).block(PATIENCE))).isEqualTo(Reason.DISCONNECTED);
		assertThat(reason(peer.page(KEY, null, new PageLimit(1, 1, 1), soon()).block(PATIENCE)))
			.isEqualTo(Reason.DISCONNECTED);
		assertThat(Reason.DISCONNECTED.isRefusal()).isTrue();
		assertThat(peer.state()).isEqualTo(MemberState.DISCONNECTED);
		assertIdle(peer);
	}

	@Test
	void deathOfThePeerFailsWhatIsUnderWay() {
		InternodeServer server = this.nodes.serve();
		PeerReplica peer = this.nodes.connected(server.port());
		this.nodes.replica.keepBack();
		List<Mono<WriteReply>> writes = new ArrayList<>();
		for (int i = 0; i < 500; i++) {
			writes.add(peer.apply(key(i), live(100), soon()));
		}
		Mono<WriteReply> large = peer.apply(KEY, live(1 << 20), soon());
		await(() -> assertThat(this.nodes.replica.calls()).isEqualTo(501));
		server.close();
		assertThat(Flux.merge(writes).mergeWith(large).collectList().block(PATIENCE)).hasSize(501)
			.allMatch((reply) -> reason(reply) == Reason.FAILED);
		await(() -> assertThat(peer.state()).isEqualTo(MemberState.DISCONNECTED));
		assertIdle(peer);
	}

	@Test
	void restartedPeerIsUsedAgain() throws IOException {
		InternodeServer server = this.nodes.serve();
		try (FreezableProxy wire = new FreezableProxy(server.port())) {
			PeerReplica peer = this.nodes.connected(wire.port());
			server.close();
			await(() -> assertThat(peer.state()).isEqualTo(MemberState.DISCONNECTED));
			assertThat(peer.apply(KEY, live(1), soon()).block(PATIENCE)).isInstanceOf(WriteReply.Failed.class);
			this.nodes.awaitFailedConnects();
			wire.lead(this.nodes.serve().port());
			Awaitility.await().pollInterval(Duration.ofMillis(5)).until(peer::isReady);
			assertThat(peer.apply(KEY, live(1), soon()).block(PATIENCE)).isEqualTo(WriteReply.Applied.COMPLETE);
		}
	}

	@Test
	void deadlineEndsWhatThePeerDoesNotAnswer() {
		PeerReplica peer = this.nodes.connected(this.nodes.serve().port());
		this.nodes.replica.keepBack();
		long begun = System.nanoTime();
		assertThat(reason(peer.apply(KEY, live(1), in(200)).block(PATIENCE))).isEqualTo(Reason.TIMEOUT);
		assertThat(reason(peer.read(KEY, in(200)).block(PATIENCE))).isEqualTo(Reason.TIMEOUT);
		assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(390));
		assertThat(reason(peer.apply(KEY, live(1), in(-1)).block(PATIENCE))).isEqualTo(Reason.TIMEOUT);
		assertIdle(peer);
	}

	@Test
	void cancelledReadGivesItsSlotBack() {
		PeerReplica peer = this.nodes.connected(this.nodes.serve().port());
		this.nodes.replica.keepBack();
		Disposable reading = peer.read(KEY, soon()).subscribe();
		await(() -> assertThat(this.nodes.replica.calls()).isEqualTo(1));
		assertThat(peer.requestsInFlight()).isEqualTo(1);
		reading.dispose();
		assertIdle(peer);
		await(() -> assertThat(this.nodes.replica.cancelled()).isEqualTo(1));
	}

	@Test
	void cancelledWriteGoesOn() {
		PeerReplica peer = this.nodes.connected(this.nodes.serve().port());
		this.nodes.replica.keepBack();
		peer.apply(KEY, live(1), soon()).subscribe().dispose();
		await(() -> assertThat(this.nodes.replica.calls()).isEqualTo(1));
		assertThat(peer.requestsInFlight()).isEqualTo(1);
		this.nodes.replica.proceed();
		assertIdle(peer);
		assertThat(this.nodes.replica.cancelled()).isZero();
	}

	@Test
	void requestsBeyondTheLimitFailAtOnceAndUnsent() {
		PeerReplica peer = this.nodes.connected(this.nodes.serve().port(), with(10, 48));
		this.nodes.replica.keepBack();
		List<Mono<WriteReply>> writes = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			writes.add(peer.apply(key(i), live(1), soon()));
		}
		assertThat(reason(peer.apply(KEY, live(1), soon()).block(PATIENCE))).isEqualTo(Reason.OVERLOADED);
		await(() -> assertThat(this.nodes.replica.calls()).isEqualTo(10));
		this.nodes.replica.proceed();
		assertThat(Flux.merge(writes).collectList().block(PATIENCE)).containsOnly(WriteReply.Applied.COMPLETE);
		assertThat(peer.apply(KEY, live(1), soon()).block(PATIENCE)).isEqualTo(WriteReply.Applied.COMPLETE);
		assertIdle(peer);
	}

	@Test
	void messagesCarryTheClockBothWays() {
		PeerReplica peer = this.nodes.connected(this.nodes.serve().port());
		peer.read(KEY, soon()).block(PATIENCE);
		assertThat(this.nodes.serverClock.current().hybrid()).isEqualTo(2000);
		this.nodes.serverClock.observe(new Timestamp(3000, 0));
		peer.read(KEY, soon()).block(PATIENCE);
		assertThat(this.nodes.clientClock.current().hybrid()).isEqualTo(3000);
		this.nodes.serverClock.observe(new Timestamp(4000, 0));
		await(() -> assertThat(this.nodes.clientClock.current().hybrid()).isEqualTo(4000));
	}

	@Test
	void nameIsResolved() {
		PeerReplica peer = this.nodes.peer(InternodeFixture.CLIENT, "server", "localhost", this.nodes.serve().port(),
				PATIENT, new PeerListener() {
				});
		InternodeFixture.awaitReady(peer);
		assertThat(peer.read(KEY, soon()).block(PATIENCE)).isEqualTo(new ReadReply.Absent());
	}

	@Test
	void closedPeerIsDisconnected() {
		InternodeServer server = this.nodes.serve();
		PeerReplica peer = this.nodes.connected(server.port());
		peer.close();
		await(() -> assertThat(server.connections()).isZero());
		assertThat(reason(peer.read(KEY, soon()).block(PATIENCE))).isEqualTo(Reason.DISCONNECTED);
	}

	private static void assertIdle(PeerReplica peer) {
		await(() -> {
			assertThat(peer.requestsInFlight()).isZero();
			assertThat(peer.bytesInFlight()).isZero();
		});
	}

	private static void await(org.awaitility.core.ThrowingRunnable assertion) {
		Awaitility.await().pollInterval(Duration.ofMillis(5)).untilAsserted(assertion);
	}

}
