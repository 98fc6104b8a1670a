package io.quorate.internode.tls;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.quorate.Authority.Issued;
import io.quorate.Authority;
import io.quorate.entry.Key;
import io.quorate.internode.InternodeProperties;
import io.quorate.internode.TlsMode;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.membership.members.MemberState;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;

import static io.quorate.internode.wiring.InternodeFixture.CONNECTIONS;
import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Nodes with the same certificates and each mode, over real sockets. */
class TlsModeTests {

	private static final DefaultSslBundleRegistry BUNDLES = new DefaultSslBundleRegistry();

	private final InternodeFixture nodes = new InternodeFixture();

	@BeforeAll
	static void issue(@TempDir Path directory) throws Exception {
		Issued issued = new Authority(directory, "authority").issue("node", "ip:127.0.0.1");
		BUNDLES.registerBundle("nodes", issued.bundle());
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	private static Encryption encryption(TlsMode mode) {
		return (mode != TlsMode.OFF) ? Encryption.by(mode, "nodes", BUNDLES, EncryptionTests.HOSTS) : Encryption.NONE;
	}

	static Stream<Arguments> modes() {
		return Stream.of(TlsMode.values())
			.flatMap((server) -> Stream.of(TlsMode.values())
				.map((client) -> Arguments.of(server, client, outcome(List.of(server, client)))));
	}

	/** The label of the connections, or none for nodes that do not reach each other. */
	private static String outcome(List<TlsMode> both) {
		if (both.contains(TlsMode.OFF)) {
			return both.contains(TlsMode.REQUIRED) ? "none" : "plain";
		}
		return "tls";
	}

	@ParameterizedTest
	@MethodSource("modes")
	void twoNodesUseTheBestFormThatBothHave(TlsMode server, TlsMode client, String form) {
		this.nodes.serverEncryption = encryption(server);
		this.nodes.clientEncryption = encryption(client);
		PeerReplica peer = this.nodes.peer(this.nodes.serve().port());
		if (form.equals("none")) {
			this.nodes.awaitFailedConnects();
			assertThat(peer.state()).isEqualTo(MemberState.DISCONNECTED);
			return;
		}
		String other = form.equals("tls") ? "plain" : "tls";
		Awaitility.await().until(() -> connections(form) == CONNECTIONS);
		assertThat(connections(other)).isZero();
		for (int size : new int[] { 1, 70_000, 5_000_000 }) {
			assertThat(peer.apply(Key.of("key"), live(size), soon()).block(PATIENCE))
				.isInstanceOf(WriteReply.Applied.class);
		}
	}

	private double connections(String encryption) {
		return this.nodes.clientMeters.get("quorate.internode.connections")
			.tag("encryption", encryption)
			.gauge()
			.value();
	}

	/** The first connections end unanswered, as if the node did not speak TLS. */
	@Test
	void plainConnectionsAreReplacedWhenTlsHasWorked() throws Exception {
		this.nodes.serverEncryption = encryption(TlsMode.OPTIONAL);
		this.nodes.clientEncryption = encryption(TlsMode.OPTIONAL);
		try (TlsBlockingRelay relay = new TlsBlockingRelay(this.nodes.serve().port())) {
			PeerReplica peer = this.nodes.peer(relay.port());
			Awaitility.await().until(() -> connections("plain") == CONNECTIONS);
			relay.letTlsPass();
			assertThat(peer.read(Key.of("key"), soon()).block(PATIENCE)).isEqualTo(new ReadReply.Absent());
			assertThat(connections("plain")).isEqualTo(CONNECTIONS);
			relay.closeOne();
			Awaitility.await().until(() -> connections("tls") == CONNECTIONS);
			assertThat(peer.apply(Key.of("key"), live(1), soon()).block(PATIENCE))
				.isInstanceOf(WriteReply.Applied.class);
		}
	}

	@Test
	void peerThatHasSpokenTlsIsNotReachedInPlainFormUntilItCameSo() {
		PeerForm form = encryption(TlsMode.OPTIONAL).peerForm("n1");
		assertThat(form.unanswered()).isTrue();
		form.encrypted();
		assertThat(form.hasBecomeEncrypted()).isTrue();
		assertThat(form.unanswered()).isFalse();
		form.cameInPlain();
		assertThat(form.unanswered()).isTrue();
		assertThat(encryption(TlsMode.REQUIRED).peerForm("n1").unanswered()).isFalse();
	}

	@Test
	void modeFollowsFromTheBundle() {
		assertThat(bound(Map.of()).tlsMode()).isEqualTo(TlsMode.OFF);
		assertThat(bound(Map.of("quorate.internode.ssl-bundle", "nodes")).tlsMode()).isEqualTo(TlsMode.REQUIRED);
		assertThat(bound(Map.of("quorate.internode.ssl-bundle", "nodes", "quorate.internode.tls", "off")).tlsMode())
			.isEqualTo(TlsMode.OFF);
		for (String mode : List.of("optional", "required")) {
			assertThatThrownBy(() -> bound(Map.of("quorate.internode.tls", mode))).isInstanceOf(BindException.class)
				.rootCause()
				.hasMessageContaining("quorate.internode.tls is " + mode)
				.hasMessageContaining("set quorate.internode.ssl-bundle");
		}
	}

	private static InternodeProperties bound(Map<String, String> properties) {
		return new Binder(new MapConfigurationPropertySource(properties)).bindOrCreate("quorate.internode",
				InternodeProperties.class);
	}

}
