package io.quorate.internode.peer;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quorate.clock.Deadline;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Summary;
import io.quorate.internode.FreezableProxy;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.wire.Wire;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.PageReply;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import io.quorate.storage.PageLimit;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static io.quorate.internode.wiring.InternodeFixture.MAX_VALUE_BYTES;
import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.in;
import static io.quorate.internode.wiring.InternodeFixture.key;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.reason;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/** Values up to the largest, and what is small beside them. */
class LargeValueTests {

	private static final Key KEY = Key.of("key");

	/*
	 * Bytes a second, at which the largest value takes minutes, and at which none takes
	 * long.
	 */
	private static final int SLOW = 64 << 10;

	private static final int FAST = 1 << 30;

	private final InternodeFixture nodes = new InternodeFixture();

	private final InternodeServer server = this.nodes.serve();

	private final PeerReplica peer = this.nodes.connected(this.server.port());

	@AfterEach
	void close() {
		await(() -> {
			assertThat(this.peer.requestsInFlight()).isZero();
			assertThat(this.peer.bytesInFlight()).isZero();
			assertThat(this.server.requestsInWork()).isZero();
			assertThat(this.server.bytesInFlight()).isZero();
		});
		this.nodes.close();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 65_400, 65_535, 65_536, 65_537, 131_072, 1_000_000, MAX_VALUE_BYTES - 1, MAX_VALUE_BYTES })
	void valueTravelsBothWays(int size) {
		Entry entry = live(size);
		assertThat(this.peer.apply(KEY, entry, soon()).block(PATIENCE)).isEqualTo(WriteReply.Applied.COMPLETE);
		assertThat(this.nodes.replica.get(KEY)).isEqualTo(entry);
		assertThat(this.peer.read(KEY, soon()).block(PATIENCE)).isEqualTo(new ReadReply.Found(entry));
		PageReply page = this.peer.page(KEY, null, new PageLimit(10, 1, 10), soon()).block(PATIENCE);
		assertThat(page).isInstanceOfSatisfying(PageReply.Page.class,
				(records) -> assertThat(records.page().records().getFirst().entry()).isEqualTo(entry));
	}

	@Test
	void aValueAboveWhatIsWantedStaysWhereItIs() {
		Entry large = live(MAX_VALUE_BYTES);
		this.nodes.replica.put(KEY, large);
		ReadReply summarized = new ReadReply.Summarized(Summary.of(large));
		assertThat(this.peer.read(KEY, 0, soon()).block(PATIENCE)).isEqualTo(summarized);
		assertThat(this.peer.read(KEY, MAX_VALUE_BYTES - 1, soon()).block(PATIENCE)).isEqualTo(summarized);
		assertThat(this.nodes.replica.sentBytes()).as("of values, even within the node").isZero();
		assertThat(this.peer.read(KEY, MAX_VALUE_BYTES, soon()).block(PATIENCE)).isEqualTo(new ReadReply.Found(large));
		assertThat(this.nodes.replica.sentBytes()).as("read once, though it is asked for twice")
			.isEqualTo(MAX_VALUE_BYTES);
		this.nodes.replica.put(KEY, live(0));
		assertThat(this.peer.read(KEY, 0, soon()).block(PATIENCE)).isEqualTo(new ReadReply.Found(live(0)));
	}

	@Test
	void aSummaryThatWasNotAskedForIsNoAnswer() {
		this.nodes.replica.sayToReads(new ReadReply.Summarized(Summary.of(live(100))));
		assertThat(this.peer.read(KEY, 99, soon()).block(PATIENCE)).isInstanceOf(ReadReply.Summarized.class);
		assertThat(reason(this.peer.read(KEY, 100, in(500)).block(PATIENCE))).isIn(Reason.FAILED, Reason.TIMEOUT);
	}

	@Test
	void messageAboveTheBoundIsRefusedAndTheNextOneGetsThrough() {
		Entry tooLarge = live(MAX_VALUE_BYTES + Wire.OVERHEAD_BYTES);
		assertThat(reason(this.peer.apply(KEY, tooLarge, soon()).block(PATIENCE))).isEqualTo(Reason.FAILED);
		this.nodes.replica.put(KEY, tooLarge);
		assertThat(reason(this.peer.read(KEY, soon()).block(PATIENCE))).isEqualTo(Reason.FAILED);
		assertThat(this.nodes.replica.calls()).isEqualTo(1);
		Entry allowed = live(MAX_VALUE_BYTES);
		assertThat(this.peer.apply(KEY, allowed, soon()).block(PATIENCE)).isEqualTo(WriteReply.Applied.COMPLETE);
	}

	@Test
	void smallRequestsDoNotWaitBehindLargeValues() throws IOException {
		try (FreezableProxy wire = new FreezableProxy(this.server.port())) {
			PeerReplica distant = this.nodes.connected(wire.port());
			wire.slowDown(SLOW);
			this.nodes.replica.put(key(1), live(100));
			Mono<WriteReply> write = distant.apply(KEY, live(MAX_VALUE_BYTES), soon());
			requireSmallReads(distant);
			wire.slowDown(FAST);
			assertThat(write.block(PATIENCE)).isEqualTo(WriteReply.Applied.COMPLETE);
			wire.slowDown(SLOW);
			Mono<ReadReply> read = distant.read(KEY, soon());
			requireSmallReads(distant);
			wire.slowDown(FAST);
			assertThat(read.block(PATIENCE)).isEqualTo(new ReadReply.Found(live(MAX_VALUE_BYTES)));
		}
	}

	/* They end while the large value is on its way. */
	private static void requireSmallReads(PeerReplica peer) {
		for (int i = 0; i < 20; i++) {
			assertThat(peer.read(key(1), soon()).block(PATIENCE)).isEqualTo(new ReadReply.Found(live(100)));
			assertThat(peer.requestsInFlight()).isEqualTo(1);
		}
	}

	@Test
	void readsBeyondTheBytesOfAPeerAreRefused() {
		this.nodes.replica.put(KEY, live(MAX_VALUE_BYTES));
		List<Mono<ReadReply>> reads = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			reads.add(this.peer.read(KEY, soon()));
		}
		List<ReadReply> replies = Flux.merge(reads).collectList().block(PATIENCE);
		assertThat(replies).hasSize(8).anyMatch(ReadReply.Found.class::isInstance);
		assertThat(replies).filteredOn(ReadReply.Failed.class::isInstance)
			.isNotEmpty()
			.allMatch((reply) -> reason(reply) == Reason.OVERLOADED);
	}

	@Test
	void largeReadsCanBeCancelledAtAnyTime() {
		this.nodes.replica.put(KEY, live(MAX_VALUE_BYTES / 2));
		for (int i = 0; i < 40; i++) {
			var reading = this.peer.read(KEY, soon()).subscribe();
			Deadline pause = new Deadline(System.nanoTime() + i * 500_000L);
			while (!pause.isExpired()) {
				Thread.onSpinWait();
			}
			reading.dispose();
		}
		await(() -> assertThat(this.peer.requestsInFlight()).isZero());
		await(() -> assertThat(this.server.bytesInFlight()).isZero());
		assertThat(this.peer.read(KEY, soon()).block(PATIENCE)).isInstanceOf(ReadReply.Found.class);
	}

	@Test
	void largeReadsEndAtTheirDeadline() {
		this.nodes.replica.put(KEY, live(MAX_VALUE_BYTES));
		for (int millis = 1; millis < 30; millis += 3) {
			assertThat(this.peer.read(KEY, in(millis)).block(PATIENCE)).isNotNull();
		}
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().pollInterval(Duration.ofMillis(5)).untilAsserted(assertion);
	}

}
