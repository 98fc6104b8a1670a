package io.quorate.internode.peer;

import java.time.Duration;
import java.util.stream.Stream;

import io.quorate.internode.InternodeProperties;
import io.quorate.internode.context.PeerListener;
import io.quorate.internode.server.EmbeddedPort;
import io.quorate.internode.wire.LocalNode;
import io.quorate.internode.wire.Wire;
import io.quorate.membership.members.MemberState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.quorate.internode.wiring.InternodeFixture.CLIENT;
import static io.quorate.internode.wiring.InternodeFixture.CONNECTIONS;
import static io.quorate.internode.wiring.InternodeFixture.PROPERTIES;
import static org.assertj.core.api.Assertions.assertThat;

/** Connections that come about late, or anew, in time that the test lets pass. */
@ExtendWith(OutputCaptureExtension.class)
class ReconnectTests {

	private static final String HERE = "Peer server at memory ";

	private static final InternodeProperties PATIENT = new InternodeProperties("127.0.0.1", null, null,
			PROPERTIES.maxRequests(), PROPERTIES.maxBytes(), PROPERTIES.keepAlive(), PROPERTIES.suspectAfter(),
			PROPERTIES.disconnectAfter(), Duration.ofSeconds(1), Duration.ofMinutes(1), Wire.VERSION);

	/* After which the next attempts are seconds away. */
	private static final Duration OUTAGE = Duration.ofSeconds(4);

	private final DrivenNodes nodes = new DrivenNodes();

	private final EmbeddedNetwork network = this.nodes.network();

	private final PeerLink link = this.nodes.link(CLIENT, PATIENT, new PeerListener() {
	});

	private final PeerReplica peer = new PeerReplica(this.link);

	@AfterEach
	void close() {
		this.peer.close();
		this.nodes.close();
	}

	@Test
	void pausesBetweenAttemptsGrow() {
		this.peer.connect();
		this.nodes.pass(OUTAGE);
		int first = this.network.attempts();
		assertThat(first).as("with pauses from 25 ms on").isBetween(7 * CONNECTIONS, 9 * CONNECTIONS);
		this.nodes.pass(OUTAGE);
		assertThat(this.network.attempts() - first).isLessThanOrEqualTo(2 * CONNECTIONS);
	}

	@Test
	void anAttemptThatNobodyAnswersIsGivenUp() {
		this.network.answer(false);
		this.peer.connect();
		this.nodes.pass(PATIENT.connectTimeout().minusMillis(5));
		assertThat(this.network.attempts()).isEqualTo(CONNECTIONS);
		this.network.answer(true);
		this.nodes.serve(PATIENT);
		this.nodes.pass(Duration.ofMillis(50));
		assertThat(this.peer.isReady()).isTrue();
	}

	@Test
	void whereOneConnectionIsThereTheOthersFollowAtOnce() {
		this.peer.connect();
		this.nodes.pass(OUTAGE);
		EmbeddedPort port = this.nodes.serve(PATIENT);
		for (int i = 0; i < 10_000 && this.peer.state() != MemberState.UP; i++) {
			this.nodes.pass(Duration.ofMillis(5));
		}
		assertThat(this.peer.isReady()).isTrue();
		assertThat(port.connections()).isEqualTo(CONNECTIONS);
	}

	/* A node that has been started again greets first, and is reached without a pause. */
	@Test
	void aPeerThatBeginsTheHandshakeIsReachedAtOnce() {
		this.peer.connect();
		this.nodes.pass(OUTAGE);
		this.nodes.serve(PATIENT);
		this.nodes.settle();
		assertThat(this.peer.state()).as("its next attempt is seconds away").isEqualTo(MemberState.DISCONNECTED);
		this.link.cameHere(false);
		this.nodes.settle();
		assertThat(this.peer.isReady()).isTrue();
	}

	/*
	 * The peer would read it in the version that it agrees to, and its sender does not
	 * know that version yet.
	 */
	@Test
	void noKeepAliveIsSentBeforeTheHandshakeHasSucceeded(CapturedOutput output) {
		this.nodes.serve(PATIENT);
		this.network.freeze(true);
		this.peer.connect();
		this.nodes.pass(PATIENT.suspectAfter().multipliedBy(4));
		this.network.freeze(false);
		this.nodes.settle();
		assertThat(this.peer.isReady()).isTrue();
		assertThat(this.network.attempts()).isEqualTo(CONNECTIONS);
		assertThat(output).contains(HERE + "is UP")
			.doesNotContain(HERE + "is refused")
			.doesNotContain(HERE + "is not reached");
	}

	/* A member that joins learns of the others a moment later than these of it. */
	@Test
	void aRefusalThatPassesIsNoErrorUntilItLasts(CapturedOutput output) {
		PeerLink unknown = this.nodes.link(
				new LocalNode("unknown", CLIENT.cluster(), CLIENT.epoch(), CLIENT.storageId()), PATIENT,
				new PeerListener() {
				});
		PeerReplica refusing = new PeerReplica(unknown);
		this.nodes.serve(PATIENT);
		refusing.connect();
		this.nodes.pass(Duration.ofSeconds(50));
		assertThat(refusals(output)).containsExactly("INFO");
		this.nodes.pass(Duration.ofMinutes(2));
		assertThat(refusals(output)).containsExactly("INFO", "ERROR");
		refusing.close();
	}

	private static Stream<String> refusals(CapturedOutput output) {
		return output.toString()
			.lines()
			.filter((line) -> line.contains(HERE + "is refused, the id of the node that connects differs"))
			.map((line) -> line.contains("ERROR") ? "ERROR" : line.contains("INFO") ? "INFO" : line);
	}

	@Test
	void eachReasonForWhichAPeerIsNotReachedIsSaidOnce(CapturedOutput output) {
		this.nodes.serve(PATIENT);
		this.peer.connect();
		this.nodes.settle();
		assertThat(output).contains(HERE + "is UP");
		this.network.lead(null);
		this.network.cut();
		assertThat(this.peer.state()).isEqualTo(MemberState.DISCONNECTED);
		assertThat(output).contains(HERE + "is DISCONNECTED: the connection was closed");
		int before = this.network.attempts();
		this.nodes.pass(Duration.ofSeconds(1));
		assertThat(this.network.attempts() - before).isGreaterThan(2 * CONNECTIONS);
		assertThat(output.toString().lines().filter((line) -> line.contains(HERE + "is not reached: ")))
			.map((line) -> line.substring(line.indexOf(HERE)))
			.containsExactly(HERE + "is not reached: cannot connect: refused");
	}

}
