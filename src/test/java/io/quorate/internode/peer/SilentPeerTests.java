package io.quorate.internode.peer;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.internode.FreezableProxy;
import io.quorate.internode.InternodeProperties;
import io.quorate.internode.wire.Wire;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.membership.members.MemberState;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import io.quorate.storage.PageLimit;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.in;
import static io.quorate.internode.wiring.InternodeFixture.key;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.reason;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/** A peer that is there and says nothing, as when its process is stopped. */
class SilentPeerTests {

	private static final Key KEY = Key.of("key");

	/* Gives up none that is found out. */
	private static final InternodeProperties QUICK_TO_DOUBT = new InternodeProperties("127.0.0.1", null, null, 1024,
			DataSize.ofMegabytes(48), Duration.ofMillis(100), Duration.ofMillis(50), Duration.ofMinutes(2),
			Duration.ofMinutes(2), Duration.ofMillis(500), Wire.VERSION);

	private final InternodeFixture nodes = new InternodeFixture();

	private FreezableProxy proxy;

	private PeerReplica peer;

	@BeforeEach
	void connect() throws IOException {
		this.proxy = new FreezableProxy(this.nodes.serve().port());
		this.peer = this.nodes.connected(this.proxy.port());
	}

	@AfterEach
	void close() throws IOException {
		this.proxy.close();
		this.nodes.close();
	}

	@Test
	void silentPeerIsSuspectAndRequestsToItEndAtTheirDeadline() {
		PeerReplica quiet = this.nodes.connected(this.proxy.port(), InternodeFixture.FEW_SIGNS_OF_LIFE);
		this.proxy.freeze();
		var write = quiet.apply(KEY, live(1), soon()).toFuture();
		await(() -> assertThat(quiet.state()).isEqualTo(MemberState.SUSPECT));
		assertThat(write).isNotDone();
		assertThat(reason(quiet.apply(KEY, live(1), in(100)).block(PATIENCE))).isEqualTo(Reason.TIMEOUT);
		assertThat(quiet.state()).isEqualTo(MemberState.SUSPECT);
		this.proxy.thaw();
		await(() -> assertThat(quiet.state()).isEqualTo(MemberState.UP));
	}

	@Test
	void idlePeerIsFoundOutByItsSignsOfLife() {
		PeerReplica idle = this.nodes.connected(this.proxy.port(), QUICK_TO_DOUBT);
		this.proxy.freeze();
		await(() -> assertThat(idle.state()).isEqualTo(MemberState.SUSPECT));
	}

	@Test
	void silenceIsFoundOutWhereOnlyALargeReplyIsOutstanding() {
		PeerReplica quiet = this.nodes.connected(this.proxy.port(), InternodeFixture.FEW_SIGNS_OF_LIFE);
		this.proxy.freeze();
		var page = quiet.page(KEY, null, new PageLimit(10, 1000, 10), soon()).toFuture();
		await(() -> assertThat(quiet.state()).isEqualTo(MemberState.SUSPECT));
		assertThat(page).isNotDone();
	}

	@Test
	void requestsCountWithTheMemoryThatTheyCost() {
		PeerReplica quiet = this.nodes.connected(this.proxy.port(), InternodeFixture.FEW_SIGNS_OF_LIFE);
		this.proxy.freeze();
		List<Mono<WriteReply>> filling = new ArrayList<>();
		for (int i = 0; i < 400; i++) {
			filling.add(quiet.apply(key(i), live(60_000), in(100)));
		}
		Flux.merge(filling).collectList().block(PATIENCE);
		long before = quiet.bytesInFlight();
		assertThat(before).as("the sockets take no more").isPositive();
		for (int i = 0; i < 100; i++) {
			quiet.apply(key(i), live(1), in(100)).subscribe();
		}
		assertThat(quiet.bytesInFlight() - before).isGreaterThan(100 * 500);
	}

	@Test
	void peerSilentForLongIsDisconnectedAndEverythingGivenBack() {
		PeerReplica lost = this.nodes.connected(this.proxy.port(), InternodeFixture.PROPERTIES);
		this.proxy.freeze();
		Entry small = live(60_000);
		Entry large = live(InternodeFixture.MAX_VALUE_BYTES);
		List<Mono<WriteReply>> writes = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			writes.add(lost.apply(key(i), small, in(100)));
		}
		writes.add(lost.apply(KEY, large, in(100)));
		writes.add(lost.apply(KEY, large, in(100)));
		await(() -> assertThat(lost.state()).isEqualTo(MemberState.DISCONNECTED));
		assertThat(Flux.merge(writes).map(InternodeFixture::reason).collectList().block(PATIENCE)).hasSize(102);
		assertThat(lost.requestsInFlight()).isZero();
		assertThat(reason(lost.apply(KEY, live(1), soon()).block(PATIENCE))).isEqualTo(Reason.DISCONNECTED);
		await(() -> assertThat(lost.bytesInFlight()).isZero());
		this.proxy.thaw();
		await(() -> assertThat(lost.isReady() && lost.state() == MemberState.UP).isTrue());
		assertThat(lost.apply(KEY, live(1), soon()).block(PATIENCE)).isEqualTo(WriteReply.Applied.COMPLETE);
	}

	@Test
	void bytesThatWaitForASilentPeerAreBounded() {
		this.proxy.freeze();
		Entry entry = live(InternodeFixture.MAX_VALUE_BYTES / 2);
		List<Mono<WriteReply>> writes = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			writes.add(this.peer.apply(key(i), entry, in(100)));
		}
		assertThat(Flux.merge(writes).map(InternodeFixture::reason).collectList().block(PATIENCE))
			.contains(Reason.OVERLOADED, Reason.TIMEOUT);
		assertThat(this.peer.bytesInFlight()).isLessThanOrEqualTo(48 << 20);
		assertThat(reason(this.peer.apply(KEY, live(1), in(100)).block(PATIENCE)))
			.as("small requests have bounds of their own")
			.isEqualTo(Reason.TIMEOUT);
	}

	@Test
	void requestThatExpiredOnItsWayIsDropped() {
		this.peer.apply(KEY, live(1), soon()).block(PATIENCE);
		int calls = this.nodes.replica.calls();
		this.proxy.freeze();
		assertThat(reason(this.peer.apply(Key.of("late"), live(1), in(100)).block(PATIENCE))).isEqualTo(Reason.TIMEOUT);
		Awaitility.await().until(in(100)::isExpired);
		this.proxy.thaw();
		assertThat(this.peer.read(Key.of("late"), soon()).block(PATIENCE)).isEqualTo(new ReadReply.Absent());
		assertThat(this.nodes.replica.calls()).isEqualTo(calls + 1);
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().pollInterval(Duration.ofMillis(5)).untilAsserted(assertion);
	}

}
