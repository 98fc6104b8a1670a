package io.quorate.internode;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.quorate.membership.MemberState;
import io.quorate.entry.Key;
import io.quorate.replica.Failure.Reason;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.quorate.internode.InternodeFixture.CLIENT;
import static io.quorate.internode.InternodeFixture.PATIENCE;
import static io.quorate.internode.InternodeFixture.PROPERTIES;
import static io.quorate.internode.InternodeFixture.SERVER;
import static io.quorate.internode.InternodeFixture.reason;
import static io.quorate.internode.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/** Who speaks to whom. */
@ExtendWith(OutputCaptureExtension.class)
class HandshakeTests {

	private final InternodeFixture nodes = new InternodeFixture();

	private final Queue<String> heard = new ConcurrentLinkedQueue<>();

	private final PeerListener listener = new PeerListener() {

		@Override
		public void stateChanged(String node, MemberState state) {
			HandshakeTests.this.heard.add(node + " is " + state);
		}

		@Override
		public void greeted(String node, UUID storageId) {
			HandshakeTests.this.heard.add(node + " has " + storageId);
		}

		@Override
		public void clockRead(String node, long physicalMillis) {
			HandshakeTests.this.heard.add(node + " reads " + physicalMillis);
		}

	};

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void listenerHearsOfStorageClockAndState() {
		InternodeServer server = this.nodes.serve();
		PeerReplica peer = this.nodes.peer(CLIENT, "server", "127.0.0.1", server.port(), PROPERTIES, this.listener);
		InternodeFixture.awaitReady(peer);
		assertThat(peer.storageId()).isEqualTo(SERVER.storageId());
		assertThat(peer.silence()).isLessThan(PATIENCE);
		server.close();
		await(() -> assertThat(this.heard).contains("server is DISCONNECTED"));
		List<String> inOrder = List.copyOf(this.heard);
		assertThat(inOrder).startsWith("server has " + SERVER.storageId())
			.containsSubsequence("server reads 5000", "server is UP", "server is DISCONNECTED");
	}

	@Test
	void signsOfLifeCarryThePhysicalClock() {
		this.nodes.peer(CLIENT, "server", "127.0.0.1", this.nodes.serve().port(), PROPERTIES, this.listener);
		await(() -> assertThat(this.heard).filteredOn("server reads 5000"::equals).hasSizeGreaterThan(10));
	}

	@ParameterizedTest
	@CsvSource({ "client, other, 42, server, cluster name: 'test' there; 'other' here",
			"client, test, 43, server, 000000000000002a there; 000000000000002b here",
			"client, test, 42, somebody, node id: 'server' there; 'somebody' expected" })
	void whoDoesNotBelongIsRefusedAndBothSidesSayWhyOnce(String id, String cluster, long epoch, String expected,
			String said, CapturedOutput output) {
		InternodeServer server = this.nodes.serve();
		PeerReplica peer = this.nodes.peer(new LocalNode(id, cluster, epoch, new UUID(0, 0)), expected, "127.0.0.1",
				server.port(), PROPERTIES, this.listener);
		String there = "Peer %s at 127.0.0.1:%d is refused".formatted(expected, server.port());
		String here = "A connection of node '%s' is refused".formatted(id);
		await(() -> assertThat(output).contains(there, here));
		Awaitility.await()
			.during(Duration.ofMillis(500))
			.atMost(PATIENCE)
			.until(() -> peer.state() == MemberState.DISCONNECTED);
		assertThat(this.heard).isEmpty();
		assertThat(output).contains(said.replace(';', ','));
		assertThat(output).containsOnlyOnce(there).containsOnlyOnce(here);
		assertThat(reason(peer.read(Key.of("key"), soon()).block(PATIENCE))).isEqualTo(Reason.DISCONNECTED);
		assertThat(this.nodes.replica.calls()).isZero();
	}

	@Test
	void otherVersionIsRefusedByBoth() {
		Greeting ours = Greeting.of(CLIENT, "server", 0, false, Standing.EMPTY, Recollection.NONE);
		Greeting theirs = Greeting.ofVersion(Wire.VERSION + 1);
		assertThat(Greeting.mismatch(ours, theirs)).isEqualTo("protocol version: 5 there, 4 here");
		assertThat(Greeting.mismatch(theirs, ours)).isEqualTo("protocol version: 4 there, 5 here");
		assertThat(Greeting.mismatch(ours, Greeting.of(SERVER, "client", 0, false, Standing.EMPTY, Recollection.NONE)))
			.isNull();
	}

	@Test
	void refusedPeerIsTakenOnceItBelongs() throws IOException {
		LocalNode other = new LocalNode("server", "test", 43, new UUID(1, 2));
		InternodeServer wrong = this.nodes.serve(other);
		try (FreezableProxy wire = new FreezableProxy(wrong.port())) {
			PeerReplica peer = this.nodes.peer(CLIENT, "server", "127.0.0.1", wire.port(), PROPERTIES, this.listener);
			await(() -> assertThat(wrong.connections()).isPositive());
			wire.lead(this.nodes.serve().port());
			wrong.close();
			InternodeFixture.awaitReady(peer);
		}
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().pollInterval(Duration.ofMillis(5)).atMost(PATIENCE).untilAsserted(assertion);
	}

}
