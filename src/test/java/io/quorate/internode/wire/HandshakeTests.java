package io.quorate.internode.wire;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.quorate.entry.Key;
import io.quorate.internode.DataStatus;
import io.quorate.internode.FreezableProxy;
import io.quorate.internode.IdleExchanges;
import io.quorate.internode.LastKnownStatus;
import io.quorate.internode.context.PeerListener;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.membership.exchange.LayoutExchange;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.reports.Program;
import io.quorate.replica.Failure.Reason;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.quorate.internode.wiring.InternodeFixture.CLIENT;
import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.PATIENT;
import static io.quorate.internode.wiring.InternodeFixture.SERVER;
import static io.quorate.internode.wiring.InternodeFixture.reason;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/** Handshakes that nodes accept or refuse. */
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
		public void rebuilds(String node, boolean isRebuilding) {
			HandshakeTests.this.heard.add(node + " rebuilds: " + isRebuilding);
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
		PeerReplica peer = this.nodes.peer(CLIENT, "server", "127.0.0.1", server.port(), PATIENT, this.listener);
		InternodeFixture.awaitReady(peer);
		assertThat(peer.storageId()).isEqualTo(SERVER.storageId());
		assertThat(peer.silence()).isLessThan(PATIENCE);
		server.close();
		await(() -> assertThat(this.heard).contains("server is DISCONNECTED"));
		List<String> inOrder = List.copyOf(this.heard);
		assertThat(inOrder).startsWith("server has " + SERVER.storageId())
			.containsSubsequence("server rebuilds: false", "server reads 5000", "server is UP",
					"server is DISCONNECTED");
	}

	@Test
	void signsOfLifeCarryThePhysicalClock() {
		this.nodes.peer(CLIENT, "server", "127.0.0.1", this.nodes.serve().port(), PATIENT, this.listener);
		await(() -> assertThat(this.heard).filteredOn("server reads 5000"::equals).hasSizeGreaterThan(10));
	}

	@ParameterizedTest
	@CsvSource({ "client, other, 42, server, cluster name, cluster name: 'other' there; 'test' here",
			"client, test, 43, server, epoch of the layout, epoch of the layout (members; zones; replication factor): 000000000000002b there; 000000000000002a here",
			"stranger, test, 42, server, id of the node that connects, node id: 'stranger' there",
			"client, test, 42, somebody, id of the node that is to be reached, node id: 'server' here; 'somebody' expected" })
	void aPeerThatDoesNotMatchIsRefusedAndBothSidesLogItOnce(String id, String cluster, long epoch, String expected,
			String field, String values, CapturedOutput output) {
		InternodeServer server = this.nodes.serve();
		PeerReplica peer = this.nodes.peer(new LocalNode(id, cluster, epoch, new UUID(0, 0)), expected, "127.0.0.1",
				server.port(), PATIENT, this.listener);
		String there = "Peer %s at 127.0.0.1:%d is refused, the %s".formatted(expected, server.port(), field);
		String here = "A connection of node '%s' is refused, %s".formatted(id, values.replace(';', ','));
		await(() -> assertThat(output).contains(there, here));
		this.nodes.awaitFailedConnects();
		assertThat(peer.state()).isEqualTo(MemberState.DISCONNECTED);
		assertThat(this.heard).isEmpty();
		assertThat(output).containsOnlyOnce(there).containsOnlyOnce(here);
		assertThat(reason(peer.read(Key.of("key"), soon()).block(PATIENCE))).isEqualTo(Reason.DISCONNECTED);
		assertThat(this.nodes.replica.calls()).isZero();
	}

	@Test
	void nodesWithoutACommonVersionRefuseEachOtherWithBothRanges() {
		Versions here = new Versions(2, 3);
		assertThat(Mismatch.of(CLIENT, null, here, Handshake.ofVersions(new Versions(4, 5)), Set.of("server")))
			.isEqualTo(new Mismatch(Mismatch.Field.VERSION,
					"protocol versions: 4-5 there, 2-3 here; the program of this node is too old"));
		assertThat(Mismatch.of(CLIENT, null, here, Handshake.ofVersions(Versions.of(1)), Set.of("server")))
			.isEqualTo(new Mismatch(Mismatch.Field.VERSION,
					"protocol versions: 1 there, 2-3 here; the program of that node is too old"));
		for (Versions there : List.of(Versions.of(2), new Versions(1, 2), new Versions(3, 4))) {
			Handshake theirs = new Handshake(there.oldest(), there,
					new Handshake.Sender(SERVER, 7, false, Program.UNKNOWN), "client",
					new Handshake.Statuses(DataStatus.EMPTY, LastKnownStatus.NONE), null);
			assertThat(Mismatch.of(CLIENT, null, here, theirs, Set.of("server"))).isNull();
		}
	}

	@Test
	void nodesWithTwoContentsOfOneLayoutRefuseEachOther(CapturedOutput output) {
		LayoutReport here = new LayoutReport(7, 1);
		this.nodes.serverLayouts = adopted(here);
		this.nodes.clientLayouts = adopted(new LayoutReport(7, 2));
		PeerReplica peer = this.nodes.peer(this.nodes.serve().port());
		await(() -> assertThat(output)
			.contains("layout: version 7 (0000000000000002) there, version 7 (0000000000000001) here; one of the two"));
		assertThat(peer.state()).isEqualTo(MemberState.DISCONNECTED);
		assertThat(mismatch(here, new LayoutReport(7, 2))).isNotNull()
			.extracting(Mismatch::field)
			.isEqualTo(Mismatch.Field.LAYOUT);
		assertThat(mismatch(here, here)).isNull();
		assertThat(mismatch(here, new LayoutReport(8, 2))).as("one of the two is behind").isNull();
		assertThat(mismatch(here, null)).isNull();
		assertThat(mismatch(null, here)).isNull();
	}

	@Test
	void aMemberThatWasGivenUpAndOneThatIsLeftRefuseEachOther() {
		LayoutReport left = new LayoutReport(1_000_000_008, 1);
		assertThat(mismatch(left, new LayoutReport(7, 2))).isEqualTo(new Mismatch(Mismatch.Field.LAYOUT,
				"layout: version 7 (0000000000000002) there, version 1000000008 (0000000000000001) here; the cluster was"
						+ " recovered without one of the two nodes (quorate cluster recover): that with the lower version"
						+ " has to be recovered to the same layout, or be started with an empty directory"));
		assertThat(mismatch(new LayoutReport(7, 2), left)).as("the other side").isNotNull();
		assertThat(mismatch(new LayoutReport(9, 2), left)).as("however much was decided since").isNotNull();
		assertThat(mismatch(left, new LayoutReport(2_000_000_009, 3))).as("a second recovery").isNotNull();
		assertThat(mismatch(left, new LayoutReport(1, 3))).as("an empty directory").isNull();
		assertThat(mismatch(left, new LayoutReport(1_000_000_009, 3))).isNull();
	}

	private static @Nullable Mismatch mismatch(@Nullable LayoutReport here, @Nullable LayoutReport there) {
		Handshake theirs = new Handshake(Wire.VERSION, Versions.of(Wire.VERSION),
				new Handshake.Sender(SERVER, 7, false, Program.UNKNOWN), "client",
				new Handshake.Statuses(DataStatus.EMPTY, LastKnownStatus.NONE), there);
		return Mismatch.of(CLIENT, here, Versions.of(Wire.VERSION), theirs, Set.of("server"));
	}

	/** The exchange of a node that has adopted a layout. */
	private static LayoutExchange adopted(LayoutReport own) {
		LayoutExchange exchange = mock(LayoutExchange.class, delegatesTo(IdleExchanges.LAYOUTS));
		given(exchange.own()).willReturn(own);
		given(exchange.version()).willReturn(own.adopted().version());
		return exchange;
	}

	@Test
	void refusedPeerIsTakenOnceItBelongs() throws IOException {
		LocalNode other = new LocalNode("server", "test", 43, new UUID(1, 2));
		InternodeServer wrong = this.nodes.serve(other);
		try (FreezableProxy wire = new FreezableProxy(wrong.port())) {
			PeerReplica peer = this.nodes.peer(CLIENT, "server", "127.0.0.1", wire.port(), PATIENT, this.listener);
			await(() -> assertThat(wrong.connections()).isPositive());
			wire.lead(this.nodes.serve().port());
			wrong.close();
			InternodeFixture.awaitReady(peer);
		}
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().pollInterval(Duration.ofMillis(5)).untilAsserted(assertion);
	}

}
