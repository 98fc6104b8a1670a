package io.quorate.internode.peer;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import io.quorate.internode.FreezableProxy;
import io.quorate.internode.context.PeerListener;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.members.MemberState;
import io.quorate.ring.Member;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.quorate.internode.wiring.InternodeFixture.CLIENT;
import static io.quorate.internode.wiring.InternodeFixture.CONNECTIONS;
import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.PATIENT;
import static io.quorate.internode.wiring.InternodeFixture.key;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The peers of a node, over real sockets. */
class PeersTests {

	private static final Duration POLL = Duration.ofMillis(5);

	private final InternodeFixture nodes = new InternodeFixture();

	/* In the order in which they became peers. */
	private final List<PeerReplica> replicas = new ArrayList<>();

	private final List<List<String>> reports = new ArrayList<>();

	/* Whether requests of every size are sent, each time when a peer is reached. */
	private final List<Boolean> reached = new CopyOnWriteArrayList<>();

	private final Peers peers = new Peers(this::replica);

	@AfterEach
	void close() {
		this.peers.close();
		this.nodes.close();
	}

	private PeerReplica replica(Endpoint endpoint) {
		List<String> its = new CopyOnWriteArrayList<>();
		this.reports.add(its);
		PeerReplica made = this.nodes.peer(CLIENT, endpoint.id(), endpoint.host(), endpoint.port(), PATIENT,
				new PeerListener() {

					@Override
					public void stateChanged(String node, MemberState state) {
						its.add(state.word());
					}

					@Override
					public void reached(String node) {
						PeersTests.this.reached.add(PeersTests.this.replicas.getLast().isReady());
					}

					@Override
					public void greeted(String node, UUID storageId) {
						its.add("greeted");
					}

					@Override
					public void clockRead(String node, long physicalMillis) {
						its.add("clock");
					}

				});
		this.replicas.add(made);
		return made;
	}

	private PeerReplica joined(int port) {
		this.peers.joins(new Endpoint(Member.of("server"), "127.0.0.1", port));
		PeerReplica joined = this.replicas.getLast();
		List<String> its = this.reports.getLast();
		InternodeFixture.awaitReady(joined);
		/* The state is there to be read before it is reported. */
		await().pollInterval(POLL).until(() -> its.contains("up") && count(its, "greeted") >= CONNECTIONS);
		return joined;
	}

	@Test
	void aPeerIsReachedWhenRequestsOfEverySizeAreSent() {
		joined(this.nodes.serve().port());
		await().until(() -> !this.reached.isEmpty());
		assertThat(this.reached).containsOnly(true);
	}

	@Test
	void aPeerThatHasLeftReportsNothingOfTheOneThatJoins() {
		int port = this.nodes.serve().port();
		PeerReplica gone = joined(port);
		assertThat(this.reports.getFirst()).contains("greeted", "clock", "up");
		this.peers.left("server");
		InternodeFixture.awaitEventLoops();
		this.reports.getFirst().clear();
		PeerReplica again = joined(port);
		List<String> later = this.reports.getLast();
		later.clear();
		await().until(() -> later.contains("clock"));
		assertThat(gone.apply(key(1), live(1), soon()).block(PATIENCE)).as("the last requests").isNotNull();
		gone.close();
		await().until(() -> gone.state() == MemberState.DISCONNECTED);
		assertThat(this.reports.getFirst()).as("reports about the node that has its id now").isEmpty();
		assertThat(again.state()).isEqualTo(MemberState.UP);
	}

	@Test
	void aPeerThatHasLeftIsNotConnectedToAnew() throws IOException {
		try (FreezableProxy wire = new FreezableProxy(this.nodes.serve().port())) {
			PeerReplica gone = joined(wire.port());
			this.peers.left("server");
			PeerReplica again = joined(wire.port());
			List<String> later = this.reports.getLast();
			later.clear();
			wire.cut();
			await().until(() -> count(later, "greeted") >= CONNECTIONS && again.isReady());
			later.clear();
			await().until(() -> count(later, "clock") > 5);
			assertThat(gone.state()).isEqualTo(MemberState.DISCONNECTED);
		}
	}

	private static long count(List<String> reports, String kind) {
		return reports.stream().filter(kind::equals).count();
	}

}
