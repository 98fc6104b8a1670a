package io.quorate.internode.peer;

import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.quorate.internode.context.PeerListener;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.membership.Endpoint;
import io.quorate.membership.MemberState;
import io.quorate.ring.Member;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.quorate.internode.wiring.InternodeFixture.CLIENT;
import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.PROPERTIES;
import static org.assertj.core.api.Assertions.assertThat;

/** Peers that leave and join over real sockets. */
class PeersTests {

	private static final Duration LAST_REQUESTS = Duration.ofMillis(400);

	private final InternodeFixture nodes = new InternodeFixture();

	private final Queue<MemberState> states = new ConcurrentLinkedQueue<>();

	private final Peers peers = new Peers((endpoint) -> this.nodes.peer(CLIENT, endpoint.id(), endpoint.host(),
			endpoint.port(), PROPERTIES, new PeerListener() {

				@Override
				public void stateChanged(String node, MemberState state) {
					PeersTests.this.states.add(state);
				}

			}), LAST_REQUESTS);

	@AfterEach
	void close() {
		this.peers.close();
		this.nodes.close();
	}

	private void joins(Endpoint server) {
		this.states.clear();
		this.peers.joins(server);
		Awaitility.await().atMost(PATIENCE).until(() -> this.states.contains(MemberState.UP));
	}

	@Test
	void aPeerThatJoinsAgainSoonIsNotTakenForDisconnected() throws Exception {
		Endpoint server = new Endpoint(new Member("server", ""), "127.0.0.1", this.nodes.serve().port());
		joins(server);
		PeerReplica first = this.peers.of("server");
		this.peers.left("server");
		joins(server);
		Thread.sleep(LAST_REQUESTS.multipliedBy(3));
		assertThat(this.states).as("the end of the first connections says nothing").last().isEqualTo(MemberState.UP);
		assertThat(this.peers.of("server")).isNotSameAs(first).matches(PeerReplica::isReady);
	}

	@Test
	void aPeerThatHasLeftIsClosedAfterItsLastRequests() {
		Endpoint server = new Endpoint(new Member("server", ""), "127.0.0.1", this.nodes.serve().port());
		joins(server);
		PeerReplica gone = Objects.requireNonNull(this.peers.of("server"));
		this.peers.left("server");
		assertThat(this.peers.all()).isEmpty();
		Awaitility.await().atMost(PATIENCE).until(() -> gone.state() == MemberState.DISCONNECTED && !gone.isReady());
		assertThat(this.states).last().isEqualTo(MemberState.DISCONNECTED);
	}

}
