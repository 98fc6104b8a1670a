package io.quorate.internode.tls;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import io.quorate.Authority.Issued;
import io.quorate.Authority;
import io.quorate.entry.Key;
import io.quorate.internode.InternodeStartException;
import io.quorate.internode.TlsMode;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.membership.members.MemberState;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Handshakes that nodes accept or refuse when connections are encrypted. */
@ExtendWith(OutputCaptureExtension.class)
public class EncryptionTests {

	private static final Key KEY = Key.of("key");

	/** Hosts of the members of the fixture. */
	public static final Map<String, String> HOSTS = Map.of("server", "127.0.0.1", "client", "127.0.0.1", "other",
			"other.example.org");

	@TempDir
	private static Path directory;

	private static Authority authority;

	private static Issued first;

	private static Issued second;

	private static Issued expired;

	private static Issued elsewhere;

	private static Issued strangers;

	private final InternodeFixture nodes = new InternodeFixture();

	private final DefaultSslBundleRegistry serverBundles = new DefaultSslBundleRegistry();

	private final DefaultSslBundleRegistry clientBundles = new DefaultSslBundleRegistry();

	@BeforeAll
	static void issue() throws Exception {
		authority = new Authority(directory, "authority");
		first = authority.issue("first", "ip:127.0.0.1");
		second = authority.issue("second", "ip:127.0.0.1");
		expired = authority.issue("expired", "ip:127.0.0.1", "-3d");
		elsewhere = authority.issue("elsewhere", "dns:elsewhere.example.org");
		strangers = new Authority(directory, "strangers").issue("first", "ip:127.0.0.1");
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	private InternodeServer serve(Issued issued) {
		this.serverBundles.registerBundle("nodes", issued.bundle());
		this.nodes.serverEncryption = Encryption.by(TlsMode.REQUIRED, "nodes", this.serverBundles, HOSTS);
		return this.nodes.serve();
	}

	private void clientHas(Issued issued) {
		this.clientBundles.registerBundle("nodes", issued.bundle());
		this.nodes.clientEncryption = Encryption.by(TlsMode.REQUIRED, "nodes", this.clientBundles, HOSTS);
	}

	@Test
	void bothSidesKnowEachOtherAndValuesOfAllSizesPass() {
		clientHas(second);
		PeerReplica peer = this.nodes.connected(serve(first).port());
		for (int size : new int[] { 1, 70_000, 5_000_000 }) {
			assertThat(peer.apply(KEY, live(size), soon()).block(PATIENCE)).isInstanceOf(WriteReply.Applied.class);
			assertThat(peer.read(KEY, soon()).block(PATIENCE)).isEqualTo(new ReadReply.Found(live(size)));
		}
		assertThat(this.nodes.serverEncryption.remainingSeconds(System.currentTimeMillis())).isBetween(3600.0,
				24 * 3600.0);
		assertThat(Encryption.NONE.remainingSeconds(System.currentTimeMillis())).isNaN();
	}

	@Test
	void aServerOfAnotherAuthorityIsRefused(CapturedOutput output) {
		clientHas(first);
		requireRefused(serve(strangers), output, "is not reached: cannot connect",
				"unable to find valid certification path");
	}

	@Test
	void aClientOfAnotherAuthorityIsRefused(CapturedOutput output) throws Exception {
		// It trusts the server, which does not trust it.
		clientHas(new Issued(strangers.certificate(), strangers.key(), first.trusted()));
		requireRefused(serve(first), output,
				"A connection from 127.0.0.1 is refused: TLS: (certificate_required) Empty client certificate chain",
				"is not reached: TLS: (certificate_required) Received fatal alert: certificate_required");
	}

	@Test
	void aServerWithoutTheHostThatWasToBeReachedIsRefused(CapturedOutput output) {
		clientHas(first);
		requireRefused(serve(elsewhere), output, "is not reached: cannot connect",
				"No subject alternative names matching IP address 127.0.0.1");
	}

	@Test
	void aClientThatIsNoMemberIsRefused(CapturedOutput output) {
		clientHas(elsewhere);
		requireRefused(serve(first), output,
				"is refused: TLS: the certificate is that of [elsewhere.example.org], and of no member [127.0.0.1, other.example.org]");
	}

	@Test
	void certificatesThatHaveExpiredAreRefused(CapturedOutput output) {
		clientHas(expired);
		requireRefused(serve(first), output, "A connection from 127.0.0.1 is refused: TLS: NotAfter");
	}

	@Test
	void anUnencryptedConnectionIsRefused(CapturedOutput output) {
		requireRefused(serve(first), output,
				"A connection from 127.0.0.1 is refused: it does not speak TLS, and this node does");
	}

	@Test
	void anEncryptedConnectionIsRefusedByAnUnencryptedNode(CapturedOutput output) {
		clientHas(first);
		requireRefused(this.nodes.serve(), output,
				"A connection from 127.0.0.1 is refused: it speaks TLS, and this node does not");
	}

	private void requireRefused(InternodeServer server, CapturedOutput output, String... said) {
		PeerReplica peer = this.nodes.peer(server.port());
		await(() -> assertThat(output).contains(said));
		this.nodes.awaitFailedConnects();
		assertThat(peer.state()).isEqualTo(MemberState.DISCONNECTED);
		assertThat(this.nodes.replica.calls()).isZero();
		assertThat(output.getOut().lines().filter((line) -> line.contains(said[0]) && isOf(server.port(), line)))
			.hasSize(1);
		assertThat(output).doesNotContain("reactor.netty", "onErrorDropped");
	}

	/* The peers of the test before log that they have lost their server. */
	private static boolean isOf(int port, String line) {
		return !line.contains("Peer server at ") || line.contains(":%d is not reached".formatted(port));
	}

	@Test
	void newCertificatesAreThoseOfNewConnectionsAndOldConnectionsGoOn(CapturedOutput output) throws Exception {
		clientHas(first);
		InternodeServer server = serve(first);
		PeerReplica before = this.nodes.connected(server.port());
		this.serverBundles.updateBundle("nodes", strangers.bundle());
		assertThat(output).contains("The certificates of the bundle 'nodes' are renewed");
		assertThat(before.apply(KEY, live(1), soon()).block(PATIENCE)).isInstanceOf(WriteReply.Applied.class);
		PeerReplica refused = this.nodes.peer(server.port());
		await(() -> assertThat(output).contains("is not reached: cannot connect", "certification path"));
		assertThat(refused.state()).isEqualTo(MemberState.DISCONNECTED);
		this.clientBundles.updateBundle("nodes", strangers.bundle());
		InternodeFixture.awaitReady(refused);
		assertThat(before.isReady()).isTrue();
	}

	@Test
	void anUnusableCertificateBundleChangesNothing(CapturedOutput output) throws Exception {
		clientHas(first);
		InternodeServer server = serve(first);
		Path nonsense = Files.writeString(directory.resolve("nonsense"), "nonsense");
		this.serverBundles.updateBundle("nodes", new Issued(nonsense, nonsense, first.trusted()).bundle());
		assertThat(output).contains("The bundle 'nodes' has changed and cannot be used");
		this.nodes.connected(server.port());
		double remaining = this.nodes.serverEncryption.remainingSeconds(System.currentTimeMillis());
		assertThat(remaining).isBetween(3600.0, 24 * 3600.0);
	}

	@Test
	void aStartWithoutWhatItNeedsIsRefused() {
		assertThatThrownBy(() -> Encryption.by(TlsMode.REQUIRED, "missing", this.serverBundles, HOSTS))
			.isInstanceOf(InternodeStartException.class)
			.hasMessageContaining("the bundle 'missing' (quorate.internode.ssl-bundle, spring.ssl.bundle)");
		this.serverBundles.registerBundle("open",
				SslBundle
					.of(new PemSslStoreBundle(PemSslStoreDetails.forCertificate(first.certificate().toUri().toString())
						.withPrivateKey(first.key().toUri().toString()), null)));
		assertThatThrownBy(() -> Encryption.by(TlsMode.REQUIRED, "open", this.serverBundles, HOSTS))
			.hasMessageContaining("no truststore");
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().pollInterval(Duration.ofMillis(5)).untilAsserted(assertion);
	}

}
