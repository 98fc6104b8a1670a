package io.quorate.internode.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quorate.entry.Key;
import io.quorate.internode.FreezableProxy;
import io.quorate.internode.context.PeerListener;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.wiring.Internode;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.membership.members.MemberState;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

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
			for (int i = 0; i < 20; i++) {
				assertThat(reason(lost.apply(KEY, live(1), soon()).block(PATIENCE))).isEqualTo(Reason.DISCONNECTED);
				assertThat(near.read(KEY, soon()).block(PATIENCE)).isEqualTo(new ReadReply.Absent());
			}
			assertThat(lost.state()).isEqualTo(MemberState.DISCONNECTED);
			for (SocketChannel channel : waiting) {
				channel.close();
			}
			wire.thaw();
			Awaitility.await().pollInterval(Duration.ofMillis(5)).atMost(PATIENCE).until(lost::isReady);
			assertThat(lost.apply(KEY, live(1), soon()).block(PATIENCE)).isEqualTo(WriteReply.Applied.COMPLETE);
		}
	}

	/* It is not connected to otherwise: no attempt of its own is made before. */
	@Test
	void aPeerThatBeginsTheHandshakeIsReached() {
		Internode here = this.nodes.internode(PROPERTIES);
		try (PeerReplica peer = here.peer("server", "127.0.0.1", this.nodes.serve().port(), new PeerListener() {
		})) {
			this.nodes.connected(InternodeFixture.SERVER, "client", this.nodes.serve(here).port());
			InternodeFixture.awaitReady(peer);
		}
	}

	/* The state of a peer is seen before the line about it is in the log. */
	private static void awaitOutput(CapturedOutput output, String said) {
		Awaitility.await().atMost(PATIENCE).untilAsserted(() -> assertThat(output).contains(said));
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
		String said = "Peer server at 127.0.0.1:%d is not reached: cannot connect: Connection refused".formatted(port);
		awaitOutput(output, said);
	}

}
