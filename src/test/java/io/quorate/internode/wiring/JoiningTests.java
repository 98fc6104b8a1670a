package io.quorate.internode.wiring;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.quorate.Authority.Issued;
import io.quorate.Authority;
import io.quorate.internode.DataStatus;
import io.quorate.internode.TlsMode;
import io.quorate.internode.context.PeerListener;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.tls.Encryption;
import io.quorate.internode.wire.Handshakes;
import io.quorate.internode.wire.LocalNode;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.Request;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.members.HostPattern;
import io.quorate.ring.Member;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.PATIENT;
import static io.quorate.internode.wiring.InternodeFixture.PROPERTIES;
import static io.quorate.internode.wiring.InternodeFixture.SERVER;
import static org.assertj.core.api.Assertions.assertThat;

/** Candidates that ask members to have them join, over real sockets. */
@ExtendWith(OutputCaptureExtension.class)
class JoiningTests {

	private static final LocalNode JOINER = new LocalNode("joiner", "test", 42, new UUID(5, 6));

	private static final String ADDRESS = "joiner@joiner.peers:7100/east";

	private static final Map<String, String> HOSTS = Map.of("server", "127.0.0.1", "client", "127.0.0.1");

	private static Issued member;

	private static Issued joiner;

	private static Issued other;

	private final InternodeFixture nodes = new InternodeFixture();

	private final Queue<String> asked = new ConcurrentLinkedQueue<>();

	/* Of the candidate, as it says. */
	private String host = "127.0.0.1";

	private Encryption atMember = Encryption.NONE;

	private Encryption atJoiner = Encryption.NONE;

	@BeforeAll
	static void issue(@TempDir Path directory) throws Exception {
		Authority authority = new Authority(directory, "authority");
		member = authority.issue("member", "ip:127.0.0.1");
		joiner = authority.issue("joiner", "dns:joiner.peers");
		other = authority.issue("other", "dns:joiner.elsewhere");
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	private static Encryption encryption(Issued issued) {
		DefaultSslBundleRegistry bundles = new DefaultSslBundleRegistry();
		bundles.registerBundle("nodes", issued.bundle());
		return Encryption.by(TlsMode.REQUIRED, "nodes", bundles, HOSTS);
	}

	private int serveMember() {
		Internode node = this.nodes.internode(SERVER, this.atMember);
		node.takeJoins((id, candidate, objection) -> {
			this.asked.add(id + " " + candidate);
			return objection.apply(this.host)
				.thenApply((against) -> (against != null) ? against : "its joining begins");
		});
		return this.nodes.serve(node).port();
	}

	private String ask(LocalNode node, int port) {
		return this.nodes.internode(node, this.atJoiner)
			.joinLine(new Endpoint(new Member("server", ""), "127.0.0.1", port))
			.ask(ADDRESS, Duration.ofSeconds(5))
			.exceptionally(String::valueOf)
			.join();
	}

	@Test
	void aMemberAnswersANodeThatIsNoMember() {
		int port = serveMember();
		assertThat(ask(JOINER, port)).isEqualTo("its joining begins");
		assertThat(ask(JOINER, port)).as("asked again").isEqualTo("its joining begins");
		assertThat(this.asked).containsExactly("joiner " + ADDRESS, "joiner " + ADDRESS);
	}

	@Test
	void aCandidateOfAnotherHostThanItsConnectionIsRefused() {
		this.host = "127.0.0.7";
		assertThat(ask(JOINER, serveMember()))
			.isEqualTo("it comes from 127.0.0.1, which is no address of its host '127.0.0.7'");
	}

	@Test
	void aNodeOfAnotherClusterLearnsTheFieldAlone(CapturedOutput output) {
		int port = serveMember();
		assertThat(ask(new LocalNode("joiner", "theirs", 42, JOINER.storageId()), port))
			.endsWith("the cluster name differs; the member's log says more");
		assertThat(ask(new LocalNode("joiner", "test", 43, JOINER.storageId()), port)).contains("epoch of the layout");
		assertThat(output).contains("A connection of node 'joiner' is refused, cluster name: 'theirs' there");
		assertThat(this.asked).isEmpty();
	}

	@Test
	void aCandidateGetsNothingBesideTheAnswer() throws Exception {
		int port = serveMember();
		try (RawPeer raw = new RawPeer(port)) {
			raw.setup().request(RawPeer.bytes(new Request.Join(Handshakes.ofOldest(JOINER, "server"), ADDRESS)));
			assertThat(raw.understoodReply()).isEqualTo(new Reply.Join("its joining begins"));
			raw.request(RawPeer.bytes(new Request.Ping(1, DataStatus.EMPTY)));
			assertThat(raw.isClosedWithin(PATIENCE)).isTrue();
		}
		assertThat(this.nodes.replica.calls()).isZero();
	}

	@Test
	void aMemberThatIsNotReachedIsNamedWithTheReason() {
		InternodeServer gone = this.nodes.serve();
		int port = gone.port();
		gone.close();
		Awaitility.await().untilAsserted(() -> assertThat(ask(JOINER, port)).contains("cannot connect"));
	}

	@Test
	void aCertificateOfAnAdmittedHostOpensAConnection(CapturedOutput output) {
		this.host = "joiner.peers";
		this.atMember = encryption(member);
		this.atJoiner = encryption(joiner);
		int port = serveMember();
		assertThat(ask(JOINER, port)).doesNotContain("joining begins");
		assertThat(output).contains("the certificate is that of [joiner.peers], and of no member [127.0.0.1]");
		this.atMember.admit(List.of(new HostPattern("*.peers")));
		assertThat(ask(JOINER, port)).isEqualTo("its joining begins");
		this.atMember.admit(List.of(new HostPattern("*.peers"), new HostPattern("*.elsewhere")));
		this.atJoiner = encryption(other);
		assertThat(ask(JOINER, port)).as("the certificate of another host")
			.isEqualTo("the certificate is that of [joiner.elsewhere], and not of the host 'joiner.peers'");
	}

	@Test
	void anAdmittedHostIsNoMemberForThat(CapturedOutput output) {
		this.atMember = encryption(member);
		this.atMember.admit(List.of(new HostPattern("*.peers")));
		int port = serveMember();
		this.nodes.clientEncryption = encryption(joiner);
		PeerReplica peer = this.nodes.peer(port);
		Awaitility.await()
			.untilAsserted(() -> assertThat(output).contains(
					"the certificate is that of [joiner.peers], and the host of the member 'client' is '127.0.0.1'"));
		assertThat(peer.isReady()).isFalse();
	}

	private static Endpoint joinerAt(int port) {
		return new Endpoint(new Member("joiner", ""), "127.0.0.1", port);
	}

	@Test
	void aCandidateStaysInvitedThoughAnotherMeetingFails() {
		int candidate = this.nodes.serve(this.nodes.internode(JOINER, this.atJoiner)).port();
		Internode node = this.nodes.internode(PROPERTIES);
		int port = this.nodes.serve(node).port();
		InternodeServer gone = this.nodes.serve();
		int closed = gone.port();
		gone.close();
		assertThat(node.meet(joinerAt(candidate)).join().storageId()).isEqualTo(JOINER.storageId());
		assertThat(node.meet(joinerAt(closed))).failsWithin(PATIENCE);
		InternodeFixture.awaitReady(this.nodes.peer(JOINER, "client", "127.0.0.1", port, PATIENT, new PeerListener() {
		}));
	}

	@Test
	void aMemberMeetsACandidateByItsCertificate() {
		this.atMember = encryption(member);
		this.atJoiner = encryption(member);
		int port = this.nodes.serve(this.nodes.internode(JOINER, this.atJoiner)).port();
		Internode node = this.nodes.internode(SERVER, this.atMember);
		assertThat(node.meet(joinerAt(port)).join().storageId()).isEqualTo(JOINER.storageId());
	}

}
