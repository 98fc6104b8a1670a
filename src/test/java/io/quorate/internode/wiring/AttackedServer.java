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

	/*
	 * Members are given up after ten times the time after which a peer is disconnected.
	 */
	private static final InternodeProperties GIVES_UP_MEMBERS = new InternodeProperties("127.0.0.1", null, null, 1024,
			DataSize.ofMegabytes(48), Duration.ofMillis(20), Duration.ofMinutes(2), Duration.ofMillis(40),
			Duration.ofMinutes(2), Duration.ofMillis(500), Wire.VERSION);

	private static final InternodeProperties GIVES_UP_STRANGERS = new InternodeProperties("127.0.0.1", null, null, 1024,
			DataSize.ofMegabytes(48), Duration.ofMillis(200), Duration.ofMinutes(2), Duration.ofMinutes(2),
			Duration.ofMillis(400), Duration.ofMillis(500), Wire.VERSION);

	private final InternodeFixture nodes;

	private final InternodeServer server;

	private final SteadyReader reader;

	private AttackedServer(InternodeFixture nodes) {
		this.nodes = nodes;
		this.server = nodes.serve();
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

	/** The port of another server, which gives up members that are silent for 400 ms. */
	int portForSilentMembers() {
		return this.nodes.serve(GIVES_UP_MEMBERS).port();
	}

	/** The port of another server, which gives up strangers after 400 ms. */
	int portForSilentStrangers() {
		return this.nodes.serve(GIVES_UP_STRANGERS).port();
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
		assertThat(peer.isClosedWithin(InternodeFixture.PATIENCE)).isTrue();
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
