package io.quorate.internode.peer;

import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Lineage;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Handover;
import io.quorate.replica.HandoverReply;
import io.quorate.replica.LookReply;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.Proposal;
import io.quorate.replica.ReadReply;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/** Requests about registers to a peer, over real sockets. */
class PeerRegisterTests {

	private static final Key KEY = Key.of("key");

	private static final Timestamp VERSION = new Timestamp(5, 6);

	private static final Timestamp BALLOT = new Timestamp(7, 8);

	private static final Condition CONDITION = new Condition(Condition.Versions.of(List.of(VERSION)),
			Condition.Versions.ANY);

	private static final Proposal PROPOSAL = new Proposal(VERSION, BALLOT, CONDITION, 1234);

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
		Awaitility.await().untilAsserted(() -> {
			assertThat(this.peer.requestsInFlight()).isZero();
			assertThat(this.peer.bytesInFlight()).isZero();
			assertThat(this.server.requestsInWork()).isZero();
			assertThat(this.server.bytesInFlight()).isZero();
		});
		this.nodes.close();
	}

	@Test
	void aPrepareReachesTheReplicaAndItsReplyComesBack() {
		Entry held = new Entry.Tombstone(BALLOT, 3, new Lineage(VERSION, Timestamp.ZERO));
		for (PrepareReply said : List.of(new PrepareReply.Promised(Summary.of(held)),
				new PrepareReply.Unmet(Summary.of(held), BALLOT), new PrepareReply.Superseded(BALLOT),
				new PrepareReply.Busy(77))) {
			this.nodes.replica.sayToPrepares(said);
			assertThat(this.peer.prepare(KEY, PROPOSAL, soon()).block(PATIENCE)).isEqualTo(said);
		}
		assertThat(this.nodes.replica.ofRegisters).hasSize(4).containsOnly(PROPOSAL);
	}

	@Test
	void aReleaseReachesTheReplica() {
		this.peer.release(KEY, BALLOT, soon());
		Awaitility.await().untilAsserted(() -> assertThat(this.nodes.replica.ofRegisters).containsExactly(BALLOT));
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 65_400, 65_500, 65_536, 65_537, 1_000_000 })
	void aLookBringsTheValueAndThePromise(int size) {
		Entry entry = new Entry.Live(BALLOT, 3, Entry.NEVER, Value.wrap(new byte[size]), null,
				new Lineage(VERSION, Timestamp.ZERO));
		assertThat(this.peer.look(KEY, size, soon()).block(PATIENCE))
			.isEqualTo(new LookReply(new ReadReply.Absent(), null));
		this.nodes.replica.put(KEY, entry);
		assertThat(this.peer.look(KEY, size, soon()).block(PATIENCE))
			.isEqualTo(new LookReply(new ReadReply.Found(entry), null));
		this.nodes.replica.promise(BALLOT);
		assertThat(this.peer.look(KEY, Integer.MAX_VALUE, soon()).block(PATIENCE))
			.isEqualTo(new LookReply(new ReadReply.Found(entry), BALLOT));
		assertThat(this.peer.look(KEY, size - 1, soon()).block(PATIENCE))
			.isEqualTo(new LookReply(new ReadReply.Summarized(Summary.of(entry)), BALLOT));
	}

	@Test
	void aLargeValueIsReadOnceThoughItIsAskedForTwice() {
		this.nodes.replica.put(KEY, live(1_000_000));
		assertThat(this.peer.look(KEY, Integer.MAX_VALUE, soon()).block(PATIENCE))
			.isEqualTo(new LookReply(new ReadReply.Found(live(1_000_000)), null));
		assertThat(this.nodes.replica.sentBytes()).isEqualTo(1_000_000);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 65_400, 65_536, 65_537, 1_000_000 })
	void aHandOverReachesTheReplicaAndItsReplyComesBack(int size) {
		Handover write = new Handover(CONDITION, 2, 5000, live(size));
		for (HandoverReply said : List.of(new HandoverReply.Written(VERSION),
				new HandoverReply.Unmet(VERSION, null, true), new HandoverReply.Unmet(null, VERSION, false),
				new HandoverReply.Contended(3),
				new HandoverReply.Undecided("unknown", VERSION, 3, 2, List.of(new HandoverReply.Said("a", "ack"))))) {
			this.nodes.replica.sayToHandovers(said);
			assertThat(this.peer.handOver(KEY, write, soon()).block(PATIENCE)).isEqualTo(said);
		}
		assertThat(this.nodes.replica.ofRegisters).hasSize(5).containsOnly(write);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 9_000, 65_400, 65_536, 65_537, 1_000_000 })
	void aReadThatIsHandedOverBringsTheEntry(int size) {
		for (int i = 0; i < 2; i++) {
			this.nodes.replica.sayToHandovers(new HandoverReply.Found(live(size)));
			assertThat(this.peer.handOver(KEY, Handover.read(2), soon()).block(PATIENCE))
				.isEqualTo(new HandoverReply.Found(live(size)));
			assertThat(this.peer.isReady()).as("its connections stay").isTrue();
		}
		assertThat(this.nodes.replica.ofRegisters).containsOnly(Handover.read(2));
	}

	@ParameterizedTest
	@EnumSource(Reason.class)
	void failureOfTheReplicaArrivesAsItIs(Reason reason) {
		Failure failure = new Failure(reason, "because 42");
		this.nodes.replica.sayToPrepares(new PrepareReply.Failed(failure));
		this.nodes.replica.sayToReads(new ReadReply.Failed(failure));
		this.nodes.replica.sayToHandovers(new HandoverReply.Failed(failure));
		assertThat(this.peer.prepare(KEY, PROPOSAL, soon()).block(PATIENCE))
			.isEqualTo(new PrepareReply.Failed(failure));
		assertThat(this.peer.look(KEY, 9, soon()).block(PATIENCE)).isEqualTo(LookReply.failed(failure));
		assertThat(this.peer.handOver(KEY, new Handover(CONDITION, 2, 0, live(1)), soon()).block(PATIENCE))
			.isEqualTo(new HandoverReply.Failed(failure));
	}

	@Test
	void aWriteThatIsHandedOverCountsWhileItIsUnderWay() {
		this.nodes.replica.keepBack();
		var written = this.peer.handOver(KEY, new Handover(CONDITION, 2, 0, live(200_000)), soon()).toFuture();
		Awaitility.await().untilAsserted(() -> assertThat(this.nodes.replica.calls()).isOne());
		assertThat(this.server.bytesInFlight()).isGreaterThan(200_000);
		this.nodes.replica.proceed();
		assertThat(written).succeedsWithin(PATIENCE);
	}

}
