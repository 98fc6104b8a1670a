package io.quorate.internode.wiring;

import java.io.IOException;
import java.time.Duration;

import io.quorate.internode.InternodeProperties;
import io.quorate.internode.TestReplica;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.tls.Encryption;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.Wire;
import org.awaitility.Awaitility;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server that is attacked while another peer reads from it, which must be served all
 * the time.
 */
final class AttackedServer {

	/** Of a server that gives up a silent connection after 3 s. */
	static final InternodeProperties IMPATIENT = new InternodeProperties("127.0.0.1", null, null, 1024,
			DataSize.ofMegabytes(48), Duration.ofMillis(50), Duration.ofMillis(50), Duration.ofMillis(300),
			Duration.ofMillis(1500), Duration.ofMillis(500), Wire.VERSION);

	static final Duration AT_ONCE = IMPATIENT.connectTimeout().dividedBy(2);

	private final InternodeFixture nodes;

	private final InternodeServer server;

	private final SteadyReader reader;

	private AttackedServer(InternodeFixture nodes) {
		this.nodes = nodes;
		this.server = nodes.serve(IMPATIENT);
		this.reader = new SteadyReader(nodes, nodes.connected(this.server.port()));
	}

	/** A server whose connections are encrypted like this, and those of its reader. */
	static AttackedServer start(Encryption encryption) {
		InternodeFixture nodes = new InternodeFixture();
		nodes.serverEncryption = encryption;
		nodes.clientEncryption = encryption;
		return new AttackedServer(nodes);
	}

	int port() {
		return this.server.port();
	}

	TestReplica replica() {
		return this.nodes.replica;
	}

	int connections() {
		return this.server.connections();
	}

	/** Number of connections that it has refused. */
	double refused() {
		return this.nodes.serverMeters.get("quorate.internode.connections.refused").counter().count();
	}

	/** A peer whose handshake as a member is accepted. */
	static RawPeer greeted(RawPeer member) throws IOException {
		assertThat(member.greet("other").understoodReply()).isInstanceOf(Reply.Welcome.class);
		return member;
	}

	/** The peer is cut off at once for the reason, and the reader is served. */
	void requireCutOff(RawPeer peer, Attack attack, CapturedOutput output) throws IOException {
		double before = refused();
		attack.bytes().send(peer);
		assertThat(peer.isClosedWithin(AT_ONCE)).isTrue();
		/* The event loop counts the refusal, and then logs it. */
		Awaitility.await().pollInterval(Duration.ofMillis(1)).untilAsserted(() -> {
			assertThat(refused()).isEqualTo(before + 1);
			assertThat(output.getOut().lines().filter((line) -> line.contains("is refused")))
				.anyMatch((line) -> line.contains(attack.reason()));
		});
		this.reader.requireMore();
	}

	/** Requires that the reader was served all the time, and that nothing is left. */
	void close() throws InterruptedException {
		this.reader.requireThatOthersLeaveNothing(this.server);
		this.nodes.close();
	}

}
