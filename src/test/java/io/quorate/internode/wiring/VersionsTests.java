package io.quorate.internode.wiring;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.quorate.internode.InternodeProperties;
import io.quorate.internode.ProgramExchange;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.wire.Wire;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.reports.Program;
import io.quorate.replica.ReadReply;
import io.quorate.storage.FormatLevel;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.PATIENT;
import static io.quorate.internode.wiring.InternodeFixture.key;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nodes of two versions of the protocol, the second one planted, and the programs that
 * they report.
 */
@ExtendWith(OutputCaptureExtension.class)
class VersionsTests {

	private static final Program PROGRAM = new Program("9.9", 1, 2);

	private static final int LARGE = 3 * 1024 * 1024;

	private final InternodeFixture nodes = new InternodeFixture();

	private final Reports reports = new Reports(PROGRAM);

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@ParameterizedTest
	@CsvSource({ "1, 1", "1, 2", "2, 1", "2, 2" })
	void nodesOfTwoVersionsServeEachOther(int ofServer, int ofClient) {
		this.nodes.serverPrograms = new Reports(PROGRAM);
		this.nodes.clientPrograms = this.reports;
		InternodeServer server = this.nodes.serve(with(ofServer));
		PeerReplica peer = this.nodes.connected(server.port(), with(ofClient));
		for (int size : new int[] { 0, 100, LARGE }) {
			peer.apply(key(size), live(size), soon()).block(PATIENCE);
			assertThat(this.nodes.replica.get(key(size))).isEqualTo(live(size));
			assertThat(peer.read(key(size), soon()).block(PATIENCE)).isEqualTo(new ReadReply.Found(live(size)));
		}
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.reports.heard).as("by the handshakes, and keep-alives later")
				.hasSizeGreaterThan(InternodeFixture.CONNECTIONS));
		assertThat(this.reports.heard).containsOnly(PROGRAM);
	}

	@ParameterizedTest
	@CsvSource({ "true, 'that node'", "false, 'this node'" })
	void afterAFinalizedUpgradeAnOlderProgramIsRefusedByBothSides(boolean isServerOlder, String older,
			CapturedOutput output) {
		Program finalized = new Program("9.9", 2, 2);
		this.nodes.serverPrograms = new Reports(isServerOlder ? PROGRAM : finalized);
		Reports ofClient = new Reports(isServerOlder ? finalized : PROGRAM);
		this.nodes.clientPrograms = ofClient;
		InternodeServer server = this.nodes.serve(with(isServerOlder ? 1 : 2));
		PeerReplica peer = this.nodes.peer(server.port(), with(isServerOlder ? 2 : 1));
		String versions = isServerOlder ? "1 there, 2 here" : "2 there, 1 here";
		Awaitility.await()
			.untilAsserted(() -> assertThat(output)
				.contains("is refused, protocol versions: %s; the program of %s".formatted(versions, older)));
		assertThat(peer.state()).isEqualTo(MemberState.DISCONNECTED);
		assertThat(this.nodes.clientMeters.get("quorate.internode.mismatch").gauge().value()).isEqualTo(1);
		assertThat(ofClient.refusals).isNotEmpty().allSatisfy((why) -> assertThat(why).contains(versions));
		server.close();
		Awaitility.await().until(() -> ofClient.refusals.getLast().equals("null"));
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.nodes.clientMeters.get("quorate.internode.mismatch").gauge().value())
				.as("its peer is gone")
				.isZero());
	}

	@Test
	void aLevelLeavesOutTheVersionsBeforeIt() {
		assertThat(Wire.oldestVersionAt(2)).isEqualTo(2);
		assertThat(Wire.oldestVersionAt(FormatLevel.FIRST)).isEqualTo(Wire.OLDEST_VERSION);
		assertThat(Wire.oldestVersionAt(FormatLevel.UNDECIDED)).isEqualTo(Wire.OLDEST_VERSION);
	}

	@Test
	void aNodeSpeaksTheNewestVersionUnlessItIsHeld() {
		InternodeProperties unset = new Binder().bindOrCreate("quorate.internode", InternodeProperties.class);
		assertThat(unset.newestVersion()).isEqualTo(Wire.VERSION);
	}

	private static InternodeProperties with(int newestVersion) {
		return new InternodeProperties("127.0.0.1", null, null, PATIENT.maxRequests(), PATIENT.maxBytes(),
				Duration.ofMillis(50), PATIENT.suspectAfter(), PATIENT.disconnectAfter(), PATIENT.connectTimeout(),
				PATIENT.maxBackoff(), newestVersion);
	}

	/** The reports that one node has received. */
	private record Reports(Program own, List<Program> heard, List<String> refusals) implements ProgramExchange {

		private Reports(Program own) {
			this(own, new CopyOnWriteArrayList<>(), new CopyOnWriteArrayList<>());
		}

		@Override
		public void heard(String peer, Program theirs) {
			this.heard.add(theirs);
		}

		@Override
		public void refused(String peer, @Nullable String why) {
			this.refusals.add(String.valueOf(why));
		}

	}

}
