package io.quorate.internode.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quorate.clock.Deadline;
import io.quorate.entry.Key;
import io.quorate.internode.FreezableProxy;
import io.quorate.internode.InternodeProperties;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.wiring.Internode;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.internode.wire.Wire;
import io.quorate.membership.MemberState;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.unit.DataSize;

import static io.quorate.internode.wiring.InternodeFixture.AT_ONCE;
import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.PROPERTIES;
import static io.quorate.internode.wiring.InternodeFixture.in;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.reason;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/** Connections that come about late, or not at all. */
@ExtendWith(OutputCaptureExtension.class)
class ConnectTests {

	private static final Key KEY = Key.of("key");

	private final InternodeFixture nodes = new InternodeFixture();

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void attemptThatNobodyAnswersHoldsUpNothing() throws IOException {
		int backlog = 1;
		InternodeServer server = this.nodes.serve();
		List<SocketChannel> waiting = new ArrayList<>();
		try (FreezableProxy wire = new FreezableProxy(server.port(), backlog)) {
			wire.freeze();
			for (int i = 0; i < backlog + 10; i++) {
				SocketChannel channel = SocketChannel.open();
				waiting.add(channel);
				channel.configureBlocking(false);
				channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), wire.port()));
			}
			PeerReplica lost = this.nodes.peer(wire.port());
			PeerReplica near = this.nodes.connected(server.port());
			Deadline end = in(2500);
			int reads = 0;
			while (!end.isExpired()) {
				assertThat(reason(lost.apply(KEY, live(1), soon()).block(AT_ONCE))).isEqualTo(Reason.DISCONNECTED);
				assertThat(near.read(KEY, soon()).block(PATIENCE)).isEqualTo(new ReadReply.Absent());
				reads++;
			}
			assertThat(reads).isGreaterThan(20);
			assertThat(lost.state()).isEqualTo(MemberState.DISCONNECTED);
			for (SocketChannel channel : waiting) {
				channel.close();
			}
			wire.thaw();
			Awaitility.await().pollInterval(Duration.ofMillis(5)).atMost(PATIENCE).until(lost::isReady);
			assertThat(lost.apply(KEY, live(1), soon()).block(PATIENCE)).isEqualTo(WriteReply.Applied.COMPLETE);
		}
	}

	@Test
	void whereOneConnectionIsThereTheOthersFollowAtOnce() throws IOException {
		InternodeServer gone = this.nodes.serve();
		try (FreezableProxy wire = new FreezableProxy(gone.port())) {
			gone.close();
			PeerReplica peer = this.nodes.peer(wire.port(), patient());
			Deadline outage = in(4000);
			Awaitility.await().atMost(PATIENCE).until(outage::isExpired);
			InternodeServer server = this.nodes.serve();
			wire.lead(server.port());
			Awaitility.await()
				.pollInterval(Duration.ofMillis(1))
				.atMost(PATIENCE)
				.until(() -> peer.state() == MemberState.UP);
			Awaitility.await()
				.pollInterval(Duration.ofMillis(5))
				.atMost(Duration.ofMillis(1500))
				.until(() -> peer.isReady() && server.connections() == InternodeFixture.CONNECTIONS);
		}
	}

	/* A node that has been started again greets first, and is reached without a pause. */
	@Test
	void aPeerThatBeginsTheHandshakeIsReachedAtOnce() throws IOException {
		Internode here = this.nodes.internode(patient());
		InternodeServer gone = this.nodes.serve();
		try (FreezableProxy wire = new FreezableProxy(gone.port())) {
			gone.close();
			PeerReplica peer = this.nodes.peer(here, wire.port());
			InternodeServer reachable = this.nodes.serve(here);
			Deadline outage = in(4000);
			Awaitility.await().atMost(PATIENCE).until(outage::isExpired);
			wire.lead(this.nodes.serve().port());
			assertThat(peer.state()).as("its next attempt is seconds away").isEqualTo(MemberState.DISCONNECTED);
			this.nodes.connected(InternodeFixture.SERVER, "client", reachable.port());
			Awaitility.await().pollInterval(Duration.ofMillis(5)).atMost(Duration.ofMillis(1500)).until(peer::isReady);
		}
	}

	/* The state of a peer is seen before the line about it is in the log. */
	private static void awaitOutput(CapturedOutput output, String said) {
		Awaitility.await().atMost(PATIENCE).untilAsserted(() -> assertThat(output).contains(said));
	}

	private static InternodeProperties patient() {
		return new InternodeProperties("127.0.0.1", null, null, 1024, DataSize.ofMegabytes(48), PROPERTIES.keepAlive(),
				PROPERTIES.suspectAfter(), PROPERTIES.disconnectAfter(), PROPERTIES.connectTimeout(),
				Duration.ofMinutes(1), Wire.VERSION);
	}

	/*
	 * The peer would read it in the version that it agrees to, and its sender does not
	 * know that version yet.
	 */
	@Test
	void noKeepAliveIsSentBeforeTheHandshakeHasSucceeded(CapturedOutput output) throws IOException {
		InternodeServer server = this.nodes.serve();
		try (FreezableProxy wire = new FreezableProxy(server.port())) {
			wire.freeze();
			PeerReplica peer = this.nodes.peer(wire.port());
			Deadline slow = in(Math.toIntExact(PROPERTIES.suspectAfter().multipliedBy(4).toMillis()));
			Awaitility.await().atMost(PATIENCE).until(slow::isExpired);
			wire.thaw();
			InternodeFixture.awaitReady(peer);
			String here = "Peer server at 127.0.0.1:%d ".formatted(wire.port());
			awaitOutput(output, here + "is UP");
			assertThat(output).doesNotContain(here + "is refused").doesNotContain(here + "is not reached");
		}
	}

	/* A slow machine may have a reason of its own before the connection. */
	@Test
	void eachReasonForWhichAPeerIsNotReachedIsSaidOnce(CapturedOutput output) throws IOException {
		InternodeServer server = this.nodes.serve();
		try (FreezableProxy wire = new FreezableProxy(server.port())) {
			PeerReplica peer = this.nodes.connected(wire.port());
			String here = "Peer server at 127.0.0.1:%d ".formatted(wire.port());
			awaitOutput(output, here + "is UP");
			server.close();
			Awaitility.await().atMost(PATIENCE).until(() -> peer.state() == MemberState.DISCONNECTED);
			awaitOutput(output, here + "is DISCONNECTED: the connection was closed");
			Deadline later = in(1000);
			Awaitility.await().atMost(PATIENCE).until(later::isExpired);
			assertThat(output.toString().lines().filter((line) -> line.contains(here + "is not reached: ")))
				.map((line) -> line.substring(line.indexOf(here)))
				.doesNotHaveDuplicates()
				.contains(here + "is not reached: the connection was closed");
		}
	}

	/*
	 * The event loops end the connections in any order: of ten peers, some end each way.
	 */
	@Test
	void peerWhoseConnectionsThisNodeClosesIsNotSaidToBeOutOfReach(CapturedOutput output) {
		for (int i = 0; i < 10; i++) {
			InternodeServer server = this.nodes.serve();
			PeerReplica peer = this.nodes.connected(server.port());
			String here = "Peer server at 127.0.0.1:%d ".formatted(server.port());
			String closed = here + "is DISCONNECTED: this node closes its connections";
			peer.close();
			awaitOutput(output, closed);
			Awaitility.await().atMost(PATIENCE).until(() -> server.connections() == 0);
			String all = output.toString();
			assertThat(all.substring(all.indexOf(closed))).doesNotContain(here + "is not reached");
		}
	}

	@Test
	void refusedConnectionIsSaidWithItsAddress(CapturedOutput output) {
		InternodeServer server = this.nodes.serve();
		int port = server.port();
		server.close();
		this.nodes.peer(port);
		String said = "Peer server at 127.0.0.1:%d is not reached: cannot connect: ".formatted(port);
		awaitOutput(output, said);
	}

}
