package io.quorate.internode.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import io.quorate.entry.Key;
import io.quorate.internode.FreezableProxy;
import io.quorate.internode.context.PeerListener;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.wire.LocalNode;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.PATIENT;
import static io.quorate.internode.wiring.InternodeFixture.key;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.reason;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static io.quorate.internode.wiring.InternodeFixture.with;
import static org.assertj.core.api.Assertions.assertThat;

/** The bounds of the requests and bytes that a node takes from each of its peers. */
class PeerQuotasTests {

	private static final int MAX_MESSAGE = 1 << 20;

	private final InternodeFixture nodes = new InternodeFixture();

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void requestsOfAPeerAreBoundedOverAllItsConnections() {
		InternodeServer server = this.nodes.serve(with(10, 48));
		PeerReplica peer = this.nodes.connected(server.port());
		Awaitility.await().until(() -> server.connections() == InternodeFixture.CONNECTIONS);
		this.nodes.replica.keepBack();
		List<Mono<WriteReply>> writes = new ArrayList<>();
		for (int i = 0; i < 40; i++) {
			writes.add(peer.apply(key(i), live(1), soon()));
		}
		Awaitility.await().until(() -> peer.requestsInFlight() == 10);
		assertThat(this.nodes.replica.calls()).isEqualTo(10);
		assertThat(server.requestsInWork()).isEqualTo(10);
		PeerReplica other = this.nodes.peer(new LocalNode("other", "test", 42, new UUID(5, 6)), "server", "127.0.0.1",
				server.port(), PATIENT, new PeerListener() {
				});
		InternodeFixture.awaitReady(other);
		Mono<WriteReply> ofOther = other.apply(Key.of("key"), live(1), soon());
		Awaitility.await().until(() -> this.nodes.replica.calls() == 11);
		this.nodes.replica.proceed();
		assertThat(ofOther.block(PATIENCE)).isEqualTo(WriteReply.Applied.COMPLETE);
		List<WriteReply> replies = Flux.merge(writes).collectList().block(PATIENCE);
		assertThat(replies).filteredOn(WriteReply.Applied.COMPLETE::equals).hasSize(10);
		assertThat(replies).filteredOn(WriteReply.Failed.class::isInstance)
			.hasSize(30)
			.allMatch((reply) -> reason(reply) == Reason.OVERLOADED);
	}

	@Test
	void writeThatItsPeerHasGivenUpCountsUntilItsOutcome() {
		InternodeServer server = this.nodes.serve();
		PeerReplica peer = this.nodes.connected(server.port());
		this.nodes.replica.keepBack();
		assertThat(reason(peer.apply(Key.of("key"), live(1), InternodeFixture.in(100)).block(PATIENCE)))
			.isEqualTo(Reason.TIMEOUT);
		peer.read(Key.of("key"), InternodeFixture.in(100)).block(PATIENCE);
		// The read began when the write was given up, and the server has given up the
		// read.
		Awaitility.await().until(() -> this.nodes.replica.cancelled() == 1);
		Awaitility.await().until(() -> server.requestsInWork() == 1 && !server.isIdle());
		this.nodes.replica.proceed();
		Awaitility.await().until(server::isIdle);
		assertThat(this.nodes.replica.get(Key.of("key"))).isEqualTo(live(1));
	}

	@Test
	void aRequestThatEndsWithAnErrorOfTheReplicaCountsNoMore() {
		InternodeServer server = this.nodes.serve(with(2, 48));
		PeerReplica peer = this.nodes.connected(server.port());
		this.nodes.replica.breakBy(new NoClassDefFoundError("planned"));
		for (int i = 1; i <= 4; i++) {
			peer.apply(key(i), live(1), soon()).block(PATIENCE);
			peer.read(key(i), soon()).block(PATIENCE);
		}
		assertThat(this.nodes.replica.calls()).isPositive();
		Awaitility.await().until(server::isIdle);
		this.nodes.replica.breakBy(null);
		InternodeFixture.awaitReady(peer);
		assertThat(peer.apply(key(0), live(1), soon()).block(PATIENCE)).isEqualTo(WriteReply.Applied.COMPLETE);
	}

	@Test
	void repliesThatWaitForAPeerAreBounded() throws IOException {
		InternodeServer server = this.nodes.serve(with(1024, 1));
		Key key = Key.of("key");
		this.nodes.replica.put(key, live(60_000));
		try (FreezableProxy wire = new FreezableProxy(server.port())) {
			PeerReplica peer = this.nodes.connected(wire.port());
			wire.slowDown(4 << 20);
			List<Mono<ReadReply>> reads = new ArrayList<>();
			for (int i = 0; i < 1000; i++) {
				reads.add(peer.read(key, soon()));
			}
			long most = 0;
			while (peer.requestsInFlight() > 0) {
				most = Math.max(most, server.bytesInFlight());
			}
			assertThat(most).isLessThan(2 << 20);
			List<ReadReply> replies = Flux.merge(reads).collectList().block(PATIENCE);
			assertThat(replies).filteredOn(new ReadReply.Found(live(60_000))::equals).hasSizeGreaterThan(16);
			assertThat(replies).filteredOn(ReadReply.Failed.class::isInstance)
				.isNotEmpty()
				.allMatch((reply) -> reason(reply) == Reason.OVERLOADED);
		}
	}

	@Test
	void peerThatConnectsAnewFindsItsShareAsItWas() {
		PeerQuotas shares = new PeerQuotas(PATIENT, MAX_MESSAGE);
		PeerQuota share = shares.enter("n1");
		assertThat(shares.enter("n1")).isSameAs(share);
		assertThat(shares.enter("n2")).isNotSameAs(share);
		share.requests().take(1);
		share.writeBytes().take(100);
		shares.leave("n1");
		shares.leave("n1");
		assertThat(shares.requests()).isEqualTo(1);
		assertThat(shares.bytes()).isEqualTo(100);
		assertThat(shares.enter("n1")).isSameAs(share);
		shares.leave("n1");
		share.requests().release(1);
		share.writeBytes().release(100);
		shares.enter("n2");
		assertThat(shares.enter("n1")).as("forgotten once it was idle").isNotSameAs(share);
	}

	@Test
	void allPeersTogetherAreBounded() {
		PeerQuotas shares = new PeerQuotas(PATIENT, MAX_MESSAGE, 1000);
		PeerQuota first = shares.enter("n1");
		PeerQuota second = shares.enter("n2");
		assertThat(first.writeBytes().tryTake(600)).isTrue();
		assertThat(second.writeBytes().tryTake(300)).isTrue();
		assertThat(second.writeBytes().tryTake(101)).as("beyond the sum, far below its own bound").isFalse();
		assertThat(shares.bytes()).isEqualTo(900);
		assertThat(second.bytes()).as("what the sum has refused is not taken").isEqualTo(300);
		assertThat(second.replyBytes().tryTake(900)).as("replies wait for no writes").isTrue();
		second.replyBytes().release(900);
		assertThat(second.writeBytes().tryTake(100)).isTrue();
		first.writeBytes().release(600);
		assertThat(second.writeBytes().tryTake(101)).isTrue();
		assertThat(second.writeBytes().tryTake(PATIENT.maxBytes().toBytes())).isFalse();
		assertThat(shares.bytes()).as("what its own bound has refused is not taken").isEqualTo(501);
	}

	@Test
	void aPeerThatHasNothingInWorkGoesOnWhateverTheOthersHave() {
		PeerQuotas shares = new PeerQuotas(PATIENT, MAX_MESSAGE, 1000);
		PeerQuota greedy = shares.enter("n1");
		PeerQuota other = shares.enter("n2");
		assertThat(greedy.writeBytes().tryTake(1000)).isTrue();
		assertThat(other.writeBytes().tryTake(400)).isTrue();
		assertThat(other.writeBytes().tryTake(1)).isFalse();
		other.writeBytes().release(400);
		assertThat(other.writeBytes().tryTake(400)).isTrue();
		other.writeBytes().release(400);
		greedy.writeBytes().release(1000);
		assertThat(shares.bytes()).isZero();
	}

	@Test
	void peerThatKeepsToItsLimitsIsNeverRefused() throws InterruptedException {
		InternodeServer server = this.nodes.serve(with(4, 48));
		PeerReplica peer = this.nodes.connected(server.port());
		List<Thread> callers = new ArrayList<>();
		List<WriteReply> refused = new CopyOnWriteArrayList<>();
		for (int i = 0; i < 4; i++) {
			Key key = key(i);
			callers.add(Thread.ofVirtual().start(() -> {
				for (int turn = 0; turn < 2000; turn++) {
					WriteReply reply = peer.apply(key, live(1), soon()).block(PATIENCE);
					if (!WriteReply.Applied.COMPLETE.equals(reply)) {
						refused.add(reply);
					}
				}
			}));
		}
		for (Thread caller : callers) {
			assertThat(caller.join(PATIENCE)).isTrue();
		}
		assertThat(refused).isEmpty();
	}

}
