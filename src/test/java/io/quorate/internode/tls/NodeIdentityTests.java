package io.quorate.internode.tls;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Map;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;

import io.quorate.Authority.Issued;
import io.quorate.Authority;
import io.quorate.InsistentKeys;
import io.quorate.internode.TlsMode;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.membership.members.MemberState;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Certificates that do not belong to the node that shows them. */
@ExtendWith(OutputCaptureExtension.class)
class NodeIdentityTests {

	private static Authority authority;

	private static Issued node;

	private static SslBundle clients;

	private final InternodeFixture nodes = new InternodeFixture();

	@BeforeAll
	static void issue(@TempDir Path directory) throws Exception {
		authority = new Authority(directory, "authority");
		node = authority.issue("node", "ip:127.0.0.1");
		clients = new Authority(directory, "clients").issue("client", "ip:127.0.0.1").bundle();
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	private static Encryption encryption(Issued issued, Map<String, String> hosts) {
		DefaultSslBundleRegistry bundles = new DefaultSslBundleRegistry();
		bundles.registerBundle("nodes", issued.bundle());
		return Encryption.by(TlsMode.REQUIRED, "nodes", bundles, hosts);
	}

	private InternodeServer serve(Map<String, String> hosts) {
		this.nodes.serverEncryption = encryption(node, hosts);
		return this.nodes.serve();
	}

	private double refused() {
		return this.nodes.serverMeters.get("quorate.internode.connections.refused").counter().count();
	}

	@Test
	void idOfAnotherMemberThanThatOfTheCertificateIsRefused(CapturedOutput output) {
		this.nodes.clientEncryption = encryption(node, EncryptionTests.HOSTS);
		InternodeServer server = serve(Map.of("client", "client.example.org", "other", "127.0.0.1"));
		PeerReplica peer = this.nodes.peer(server.port());
		Awaitility.await()
			.untilAsserted(() -> assertThat(output).contains(
					"A connection of node 'client' is refused, the certificate is that of [127.0.0.1], and the host of the member 'client' is 'client.example.org'",
					"is refused, the id of the node that connects differs; the peer's log says more"));
		assertThat(peer.state()).isEqualTo(MemberState.DISCONNECTED);
		assertThat(refused()).isPositive();
		assertThat(this.nodes.replica.calls()).isZero();
	}

	@Test
	void certificateOfANodeThatHasLeftOpensNoConnection(CapturedOutput output) {
		this.nodes.clientEncryption = encryption(node, EncryptionTests.HOSTS);
		InternodeServer server = serve(Map.of("client", "127.0.0.1", "other", "other.example.org"));
		this.nodes.serverEncryption.distrust("client");
		PeerReplica peer = this.nodes.peer(server.port());
		Awaitility.await()
			.untilAsserted(() -> assertThat(output).as("by the handshake of nodes, in which it may learn why")
				.contains("is refused, the id of the node that connects differs; the peer's log says more"));
		assertThat(peer.state()).isEqualTo(MemberState.DISCONNECTED);
		assertThat(this.nodes.replica.calls()).isZero();
	}

	@Test
	void nodeThatIsReachedAndHasTheCertificateOfAnotherIsRefused(CapturedOutput output) {
		this.nodes.clientEncryption = encryption(node, Map.of("server", "server.example.org", "other", "127.0.0.1"));
		PeerReplica peer = this.nodes.peer(serve(EncryptionTests.HOSTS).port());
		Awaitility.await()
			.untilAsserted(() -> assertThat(output).contains(
					"is refused, the certificate is that of [127.0.0.1], and the host of the member 'server' is 'server.example.org'"));
		assertThat(peer.state()).isEqualTo(MemberState.DISCONNECTED);
		assertThat(this.nodes.replica.calls()).isZero();
	}

	@Test
	void sharedCertificateProvesThatANodeIsAMember() throws Exception {
		Issued wildcard = authority.issue("wildcard", "dns:*.peers,ip:127.0.0.1");
		Map<String, String> hosts = Map.of("server", "127.0.0.1", "client", "client.peers", "other", "other.peers");
		this.nodes.clientEncryption = encryption(wildcard, hosts);
		this.nodes.connected(serve(hosts).port());
	}

	@Test
	void certificateThatIsNotValidYetIsRefused(CapturedOutput output) throws Exception {
		InternodeServer server = serve(EncryptionTests.HOSTS);
		this.nodes.clientEncryption = encryption(authority.issue("early", "ip:127.0.0.1", "+1d"),
				EncryptionTests.HOSTS);
		this.nodes.peer(server.port());
		requireRefusal(output, "A connection from 127.0.0.1 is refused: TLS: NotBefore");
	}

	@Test
	void certificateOfAClientIsRefused(CapturedOutput output) throws Exception {
		InternodeServer server = serve(EncryptionTests.HOSTS);
		SSLContext context = SSLContext.getInstance("TLSv1.3");
		context.init(new KeyManager[] { new InsistentKeys(clients) }, trusting(), null);
		requireNoHandshake(context, server.port());
		requireRefusal(output, "A connection from 127.0.0.1 is refused: TLS: ", "certification path");
	}

	@Test
	void connectionWithoutACertificateIsRefused(CapturedOutput output) throws Exception {
		InternodeServer server = serve(EncryptionTests.HOSTS);
		SSLContext context = SSLContext.getInstance("TLSv1.3");
		context.init(null, trusting(), null);
		requireNoHandshake(context, server.port());
		requireRefusal(output,
				"A connection from 127.0.0.1 is refused: TLS: (certificate_required) Empty client certificate chain");
	}

	@Test
	void oldVersionsOfTlsAreRefused(CapturedOutput output) throws Exception {
		InternodeServer server = serve(EncryptionTests.HOSTS);
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
			OutputStream out = socket.getOutputStream();
			out.write(Authority.helloOfTls11());
			socket.setSoTimeout(10_000);
			byte[] answer = socket.getInputStream().readAllBytes();
			// An alert of level 2, protocol_version.
			assertThat(answer).endsWith((byte) 2, (byte) 70);
		}
		requireRefusal(output, "A connection from 127.0.0.1 is refused: TLS: (protocol_version)");
	}

	private void requireRefusal(CapturedOutput output, String... said) {
		Awaitility.await().untilAsserted(() -> assertThat(output).contains(said));
		assertThat(refused()).isPositive();
		assertThat(this.nodes.replica.calls()).isZero();
	}

	private static TrustManager[] trusting() {
		return node.bundle().getManagers().getTrustManagers();
	}

	/** In TLS 1.3 the client learns by its first read that the server has refused it. */
	private static void requireNoHandshake(SSLContext context, int port) throws IOException {
		try (SSLSocket socket = (SSLSocket) context.getSocketFactory()
			.createSocket(InetAddress.getLoopbackAddress(), port)) {
			socket.setSoTimeout(10_000);
			assertThatThrownBy(() -> {
				socket.startHandshake();
				InputStream in = socket.getInputStream();
				assertThat(in.read()).isNegative();
				throw new IOException("closed");
			}).isInstanceOf(IOException.class);
		}
	}

}
