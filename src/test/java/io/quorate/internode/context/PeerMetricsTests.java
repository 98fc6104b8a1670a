package io.quorate.internode.context;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.search.Search;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.internode.FreezableProxy;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.membership.members.MemberState;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import io.quorate.storage.PageLimit;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static io.quorate.internode.wiring.InternodeFixture.CONNECTIONS;
import static io.quorate.internode.wiring.InternodeFixture.FEW_SIGNS_OF_LIFE;
import static io.quorate.internode.wiring.InternodeFixture.MAX_VALUE_BYTES;
import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.in;
import static io.quorate.internode.wiring.InternodeFixture.key;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.reason;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static io.quorate.internode.wiring.InternodeFixture.with;
import static org.assertj.core.api.Assertions.assertThat;

/** The meters of a peer, over real sockets. */
class PeerMetricsTests {

	private static final Key KEY = Key.of("key");

	private static final PageLimit PAGE = new PageLimit(10, 1000, 10);

	private final InternodeFixture nodes = new InternodeFixture();

	private final InternodeServer server = this.nodes.serve();

	private FreezableProxy wire;

	@BeforeEach
	void open() throws IOException {
		this.wire = new FreezableProxy(this.server.port());
	}

	@AfterEach
	void close() throws IOException {
		this.wire.close();
		this.nodes.close();
	}

	@Test
	void requestsAreCountedByWhatTheyAreAndWhatBecomesOfThem() {
		PeerReplica peer = this.nodes.connected(this.server.port());
		assertThat(requests()).as("before the first").isEmpty();
		peer.apply(KEY, live(1), soon()).block(PATIENCE);
		peer.apply(KEY, live(100_000), soon()).block(PATIENCE);
		peer.read(KEY, soon()).block(PATIENCE);
		peer.read(key(1), soon()).block(PATIENCE);
		peer.read(key(2), soon()).block(PATIENCE);
		peer.page(KEY, null, PAGE, soon()).block(PATIENCE);
		assertThat(requests()).isEqualTo(Map.of("apply success", 2L, "read success", 3L, "page success", 1L));
		this.nodes.replica.sayToWrites(new WriteReply.Superseded(new Timestamp(9, 8), true));
		peer.apply(KEY, live(1), soon()).block(PATIENCE);
		for (Reason reason : List.of(Reason.OVERLOADED, Reason.DISK_FULL, Reason.FAILED)) {
			Failure failure = new Failure(reason, "because");
			this.nodes.replica.sayToWrites(new WriteReply.Failed(failure));
			this.nodes.replica.sayToReads(new ReadReply.Failed(failure));
			peer.apply(KEY, live(1), soon()).block(PATIENCE);
			peer.read(KEY, soon()).block(PATIENCE);
		}
		assertThat(requests())
			.isEqualTo(Map.of("apply success", 2L, "read success", 3L, "page success", 1L, "apply superseded", 1L,
					"apply overloaded", 1L, "apply failed", 2L, "read overloaded", 1L, "read failed", 2L));
		assertThat(refused()).isEmpty();
	}

	@Test
	void everyKindOfRequestIsThereFromTheBeginning() {
		this.nodes.peer(this.server.port());
		assertThat(timers().map(PeerMetricsTests::kind)).containsExactlyInAnyOrder("apply success", "apply superseded",
				"apply overloaded", "apply failed", "read success", "read overloaded", "read failed", "read cancelled",
				"page success", "page overloaded", "page failed", "page cancelled", "prepare success",
				"prepare overloaded", "prepare failed");
		assertThat(timers()).allMatch((timer) -> "server".equals(timer.getId().getTag("peer")));
	}

	@Test
	void bytesAreCountedInEachDirection() {
		PeerReplica peer = this.nodes.connected(this.server.port());
		assertThat(transferred("sent")).isZero();
		assertThat(transferred("received")).isZero();
		peer.apply(KEY, live(100_000), soon()).block(PATIENCE);
		assertThat(transferred("sent")).isBetween(100_000.0, 100_200.0);
		assertThat(transferred("received")).isBetween(1.0, 100.0);
		peer.read(KEY, 99_999, soon()).block(PATIENCE);
		assertThat(transferred("received")).as("without the value").isBetween(1.0, 200.0);
		peer.read(KEY, soon()).block(PATIENCE);
		assertThat(transferred("received")).isBetween(100_000.0, 100_400.0);
		assertThat(transferred("sent")).isBetween(100_000.0, 100_400.0);
	}

	private double transferred(String direction) {
		return this.nodes.clientMeters.get("quorate.internode.transferred")
			.tag("direction", direction)
			.counter()
			.count();
	}

	@Test
	void aRequestTakesUntilItsAnswer() {
		PeerReplica peer = this.nodes.connected(this.server.port());
		this.nodes.replica.keepBack();
		Mono<WriteReply> write = peer.apply(KEY, live(1), soon());
		await(() -> assertThat(this.nodes.replica.calls()).isEqualTo(1));
		assertThat(peer.requestsInFlight()).isEqualTo(1);
		elapse(200);
		this.nodes.replica.proceed();
		write.block(PATIENCE);
		double took = timer("apply", "success").totalTime(TimeUnit.NANOSECONDS);
		assertThat(took).isGreaterThan(200e6);
		assertThat(timer("apply", "success").takeSnapshot().histogramCounts())
			.as("a histogram up to 10 s, of which what is below holds nothing")
			.hasSize(21)
			.allMatch((bucket) -> (bucket.count() == 0) == (bucket.bucket(TimeUnit.NANOSECONDS) < took));
		assertThat(peer.requestsInFlight()).isZero();
	}

	@Test
	void aRequestWithoutAnAnswerAtItsDeadlineHasFailed() {
		PeerReplica peer = this.nodes.connected(this.server.port());
		this.nodes.replica.keepBack();
		assertThat(reason(peer.apply(KEY, live(1), in(200)).block(PATIENCE))).isEqualTo(Reason.TIMEOUT);
		assertThat(reason(peer.read(KEY, in(-1)).block(PATIENCE))).isEqualTo(Reason.TIMEOUT);
		assertThat(requests()).isEqualTo(Map.of("apply failed", 1L, "read failed", 1L));
		assertThat(timer("apply", "failed").totalTime(TimeUnit.MILLISECONDS)).isGreaterThan(190);
	}

	@Test
	void readsThatAreGivenUpSayHowLongTheyHaveWaited() {
		PeerReplica peer = this.nodes.connected(this.server.port());
		this.nodes.replica.keepBack();
		Disposable read = peer.read(KEY, soon()).subscribe();
		peer.apply(KEY, live(1), soon()).subscribe().dispose();
		await(() -> assertThat(this.nodes.replica.calls()).isEqualTo(2));
		elapse(100);
		read.dispose();
		await(() -> assertThat(requests()).isEqualTo(Map.of("read cancelled", 1L)));
		assertThat(timer("read", "cancelled").totalTime(TimeUnit.MILLISECONDS)).isGreaterThan(100);
		this.nodes.replica.proceed();
		await(() -> assertThat(requests()).as("a write to which nobody listens goes on")
			.isEqualTo(Map.of("read cancelled", 1L, "apply success", 1L)));
	}

	@Test
	void requestsBeyondABoundAreRefusedAndNotTimed() {
		PeerReplica peer = this.nodes.connected(this.wire.port(), with(3, 20, FEW_SIGNS_OF_LIFE));
		this.nodes.replica.keepBack();
		List<Mono<WriteReply>> writes = new ArrayList<>();
		// Bytes that the socket has taken would not count any more.
		this.wire.freeze();
		writes.add(peer.apply(key(0), live(MAX_VALUE_BYTES), soon()));
		writes.add(peer.apply(key(1), live(MAX_VALUE_BYTES), soon()));
		assertThat(refused()).isEqualTo(Map.of("bytes", 1.0));
		for (int i = 2; i < 6; i++) {
			writes.add(peer.apply(key(i), live(1), soon()));
		}
		assertThat(refused()).isEqualTo(Map.of("bytes", 1.0, "requests", 2.0));
		assertThat(peer.requestsInFlight()).isEqualTo(3);
		this.wire.thaw();
		await(() -> assertThat(this.nodes.replica.calls()).isEqualTo(3));
		this.nodes.replica.proceed();
		Flux.merge(writes).collectList().block(PATIENCE);
		assertThat(requests()).isEqualTo(Map.of("apply success", 3L));
		assertThat(refused()).isEqualTo(Map.of("bytes", 1.0, "requests", 2.0));
	}

	@Test
	void withoutAConnectionRequestsAreRefused() {
		this.server.close();
		PeerReplica peer = this.nodes.peer(this.wire.port());
		peer.apply(KEY, live(1), soon()).block(PATIENCE);
		peer.page(KEY, null, PAGE, soon()).block(PATIENCE);
		assertThat(refused()).isEqualTo(Map.of("disconnected", 2.0));
		assertThat(requests()).isEmpty();
	}

	@Test
	void bytesThatWaitForAPeerCount() {
		PeerReplica peer = this.nodes.connected(this.wire.port(), FEW_SIGNS_OF_LIFE);
		assertThat(peer.bytesInFlight()).isZero();
		this.wire.freeze();
		Mono<WriteReply> write = peer.apply(KEY, live(MAX_VALUE_BYTES), soon());
		assertThat(peer.bytesInFlight()).isGreaterThan(MAX_VALUE_BYTES);
		this.wire.thaw();
		assertThat(write.block(PATIENCE)).isEqualTo(WriteReply.Applied.COMPLETE);
		await(() -> assertThat(peer.bytesInFlight()).isZero());
	}

	@Test
	void connectionsThatComeAndGoAreCounted() throws IOException {
		PeerReplica peer = this.nodes.connected(this.wire.port());
		await(() -> assertThat(gauge("quorate.internode.connections")).isEqualTo(CONNECTIONS));
		assertThat(connects("up")).isEqualTo(CONNECTIONS);
		assertThat(connects("failed")).isZero();
		this.server.close();
		await(() -> assertThat(connects("failed")).isGreaterThan(CONNECTIONS));
		await(() -> assertThat(gauge("quorate.internode.connections")).isZero());
		assertThat(connects("up")).isEqualTo(CONNECTIONS);
		this.wire.lead(this.nodes.serve().port());
		await(() -> assertThat(gauge("quorate.internode.connections")).isEqualTo(CONNECTIONS));
		assertThat(connects("up")).isEqualTo(2 * CONNECTIONS);
		double failed = connects("failed");
		peer.close();
		await(() -> assertThat(gauge("quorate.internode.connections")).isZero());
		assertThat(connects("failed")).as("to close is no failure").isEqualTo(failed);
	}

	@Test
	void aMemberIsInOneState() throws IOException {
		this.wire.freeze();
		PeerReplica peer = this.nodes.peer(this.wire.port(), FEW_SIGNS_OF_LIFE);
		assertThat(states()).isEqualTo(Map.of("up", 0, "suspect", 0, "draining", 0, "disconnected", 1));
		this.wire.thaw();
		awaitState(peer, MemberState.UP);
		this.wire.freeze();
		peer.read(KEY, soon()).subscribe();
		awaitState(peer, MemberState.SUSPECT);
		this.wire.cut();
		awaitState(peer, MemberState.DISCONNECTED);
		this.wire.thaw();
		awaitState(peer, MemberState.UP);
		this.server.drain();
		InternodeFixture.awaitReady(peer);
		peer.apply(KEY, live(1), soon()).block(PATIENCE);
		awaitState(peer, MemberState.DRAINING);
	}

	private void awaitState(PeerReplica peer, MemberState state) {
		await(() -> assertThat(states()).as("of which %s", peer)
			.containsEntry(state.word(), 1)
			.hasSize(4)
			.satisfies((states) -> assertThat(states.values().stream().mapToInt(Integer::intValue).sum()).isOne()));
	}

	@Test
	void suspicionsAreCounted() {
		PeerReplica peer = this.nodes.connected(this.wire.port(), FEW_SIGNS_OF_LIFE);
		assertThat(suspected()).isZero();
		for (int times = 1; times <= 2; times++) {
			this.wire.freeze();
			var read = peer.read(KEY, soon()).toFuture();
			await(() -> assertThat(peer.state()).isEqualTo(MemberState.SUSPECT));
			this.wire.thaw();
			assertThat(read.join()).isEqualTo(new ReadReply.Absent());
			await(() -> assertThat(peer.state()).isEqualTo(MemberState.UP));
			assertThat(suspected()).isEqualTo(times);
		}
	}

	@Test
	void requestsThatComeTooLateAreCountedByWhomTheyWereSentTo() {
		PeerReplica peer = this.nodes.connected(this.wire.port(), FEW_SIGNS_OF_LIFE);
		peer.read(KEY, soon()).block(PATIENCE);
		this.wire.freeze();
		assertThat(reason(peer.apply(KEY, live(1), in(100)).block(PATIENCE))).isEqualTo(Reason.TIMEOUT);
		elapse(100);
		this.wire.thaw();
		await(() -> assertThat(this.nodes.serverMeters.get("quorate.internode.expired").counter().count()).isOne());
		assertThat(this.nodes.replica.get(KEY)).as("what came too late was not done").isNull();
	}

	private Map<String, Long> requests() {
		Map<String, Long> counts = new TreeMap<>();
		timers().filter((timer) -> timer.count() > 0).forEach((timer) -> counts.put(kind(timer), timer.count()));
		return counts;
	}

	private static String kind(Timer timer) {
		return timer.getId().getTag("operation") + " " + timer.getId().getTag("outcome");
	}

	private Stream<Timer> timers() {
		return meters("quorate.internode.request").timers().stream();
	}

	private Timer timer(String operation, String outcome) {
		return timers().filter((timer) -> kind(timer).equals(operation + " " + outcome)).findFirst().orElseThrow();
	}

	private Map<String, Double> refused() {
		Map<String, Double> counts = new TreeMap<>();
		meters("quorate.internode.refused").counters()
			.stream()
			.filter((counter) -> counter.count() > 0)
			.forEach((counter) -> counts.put(String.valueOf(counter.getId().getTag("reason")), counter.count()));
		return counts;
	}

	private Map<String, Integer> states() {
		Map<String, Integer> states = new TreeMap<>();
		meters("quorate.internode.member").gauges()
			.forEach((gauge) -> states.put(String.valueOf(gauge.getId().getTag("state")), (int) gauge.value()));
		return states;
	}

	private double connects(String outcome) {
		return this.nodes.clientMeters.get("quorate.internode.connects").tag("outcome", outcome).counter().count();
	}

	private double suspected() {
		return this.nodes.clientMeters.get("quorate.internode.suspected").counter().count();
	}

	private double gauge(String name) {
		Gauge gauge = this.nodes.clientMeters.get(name).tag("peer", "server").gauge();
		return gauge.value();
	}

	private Search meters(String name) {
		return this.nodes.clientMeters.find(name);
	}

	private static void elapse(int millis) {
		Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2)).until(in(millis)::isExpired);
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().pollInterval(Duration.ofMillis(2)).untilAsserted(assertion);
	}

}
