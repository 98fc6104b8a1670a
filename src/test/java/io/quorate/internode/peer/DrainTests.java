package io.quorate.internode.peer;

import java.io.IOException;
import java.time.Duration;

import io.quorate.entry.Key;
import io.quorate.internode.FreezableProxy;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.membership.members.MemberState;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.WriteReply;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.quorate.internode.wiring.InternodeFixture.FEW_SIGNS_OF_LIFE;
import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.reason;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/** The announcement to peers that a node drains. */
class DrainTests {

	private static final Key KEY = Key.of("key");

	private final InternodeFixture nodes = new InternodeFixture();

	private final InternodeServer server = this.nodes.serve();

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void drainingNodeRefusesAndStaysConnected() {
		PeerReplica peer = this.nodes.connected(this.server.port());
		this.server.drain();
		assertThat(reason(peer.apply(KEY, live(1), soon()).block(PATIENCE))).isEqualTo(Reason.DRAINING);
		assertThat(peer.state()).isEqualTo(MemberState.DRAINING);
	}

	@Test
	void nodeThatIsAboutToStopSaysSoAndDoesWhatItIsAsked() {
		PeerReplica peer = this.nodes.connected(this.server.port());
		this.server.announceDeparture();
		awaitDraining(peer);
		assertThat(peer.state()).isEqualTo(MemberState.DRAINING);
		assertThat(peer.apply(KEY, live(1), soon()).block(PATIENCE)).isInstanceOf(WriteReply.Applied.class);
		assertThat(peer.isDraining()).isTrue();
	}

	@Test
	void signOfLifeSaysSo() {
		PeerReplica peer = this.nodes.connected(this.server.port());
		assertThat(peer.isDraining()).isFalse();
		this.server.drain();
		awaitDraining(peer);
	}

	@Test
	void refusalSaysSo() {
		PeerReplica peer = this.nodes.connected(this.server.port(), FEW_SIGNS_OF_LIFE);
		this.server.drain();
		assertThat(peer.isDraining()).isFalse();
		peer.apply(KEY, live(1), soon()).block(PATIENCE);
		assertThat(peer.isDraining()).isTrue();
	}

	@Test
	void handshakeSaysSo() {
		this.server.drain();
		assertThat(this.nodes.connected(this.server.port(), FEW_SIGNS_OF_LIFE).isDraining()).isTrue();
	}

	@Test
	void restartedNodeDrainsNoMore() throws IOException {
		try (FreezableProxy wire = new FreezableProxy(this.server.port())) {
			PeerReplica peer = this.nodes.connected(wire.port());
			this.server.drain();
			awaitDraining(peer);
			wire.lead(this.nodes.serve().port());
			this.server.close();
			Awaitility.await().pollInterval(Duration.ofMillis(5)).until(() -> !peer.isDraining());
			InternodeFixture.awaitReady(peer);
			assertThat(peer.isDraining()).isFalse();
		}
	}

	private static void awaitDraining(PeerReplica peer) {
		Awaitility.await().pollInterval(Duration.ofMillis(5)).until(peer::isDraining);
	}

}
