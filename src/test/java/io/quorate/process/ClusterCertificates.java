package io.quorate.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.SSLContext;

import io.quorate.Authority;
import io.quorate.Authority.Issued;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The certificates of a cluster, in files of each node, which the nodes watch: those for
 * its clients, and those between the nodes, by an authority each. Used by one thread.
 */
final class ClusterCertificates {

	/** Names of a certificate that any node of a test may show. */
	static final String ANY_NODE = "ip:127.0.0.1";

	private static final String CLIENTS = "clients";

	private static final String PEERS = "peers";

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private final Path home;

	private final List<Issued> forClients = new ArrayList<>();

	private final List<Issued> forPeers = new ArrayList<>();

	private final List<NodeProcess> nodes = new ArrayList<>();

	ClusterCertificates(Path home) {
		this.home = home;
	}

	/**
	 * Mounts certificates on each node of a cluster that is not started yet: HTTPS for
	 * clients, who may show certificates, and TLS between the nodes.
	 * @param trusted authorities of all certificates that the nodes show to clients
	 */
	void mount(ClusterProcesses cluster, Path trusted, Issued server, Issued peer)
			throws IOException, GeneralSecurityException {
		SSLContext tls = client(trusted, null);
		for (String name : cluster.names()) {
			NodeProcess node = cluster.node(name)
				.withTls(tls)
				.with("server.ssl.bundle", CLIENTS)
				.with("server.ssl.client-auth", "want")
				.with("quorate.internode.ssl-bundle", PEERS)
				.with("spring.ssl.bundle.watch.file.quiet-period", "200ms");
			this.nodes.add(node);
			this.forClients.add(mount(node, name, CLIENTS, server));
			this.forPeers.add(mount(node, name, PEERS, peer));
		}
	}

	/** Mounts a certificate between the nodes alone, on one that is not started yet. */
	void mountForPeers(NodeProcess node, String name, Issued peer) throws IOException {
		node.with("quorate.internode.ssl-bundle", PEERS);
		mount(node, name, PEERS, peer);
	}

	private Issued mount(NodeProcess node, String name, String bundle, Issued issued) throws IOException {
		Issued mounted = issued.copyTo(this.home.resolve("tls-" + name).resolve(bundle));
		String pem = "spring.ssl.bundle.pem." + bundle + ".";
		node.with(pem + "reload-on-update", "true")
			.with(pem + "keystore.verify-keys", "true")
			.with(pem + "keystore.certificate", mounted.certificate().toString())
			.with(pem + "keystore.private-key", mounted.key().toString())
			.with(pem + "truststore.certificate", mounted.trusted().toString());
		return mounted;
	}

	/** Replaces the certificates for clients, and their keys. */
	void showToClients(Issued server) throws IOException {
		changed(List.of(CLIENTS), () -> show(server, this.forClients));
	}

	/** Replaces all certificates, and their keys. */
	void show(Issued server, Issued peer) throws IOException {
		changed(List.of(CLIENTS, PEERS), () -> {
			show(server, this.forClients);
			show(peer, this.forPeers);
		});
	}

	private static void show(Issued next, List<Issued> mounted) throws IOException {
		for (Issued each : mounted) {
			next.withTrusted(each.trusted()).replace(each);
		}
	}

	/** Replaces the authorities whose certificates are accepted. */
	void trust(Path ofClients, Path ofPeers) throws IOException {
		changed(List.of(CLIENTS, PEERS), () -> {
			for (Issued each : this.forClients) {
				each.withTrusted(ofClients).replace(each);
			}
			for (Issued each : this.forPeers) {
				each.withTrusted(ofPeers).replace(each);
			}
		});
	}

	/** Returns when each node has said that it uses what has changed. */
	private void changed(List<String> bundles, Change change) throws IOException {
		List<Integer> before = renewals(bundles);
		change.run();
		await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).untilAsserted(() -> {
			List<Integer> now = renewals(bundles);
			for (int i = 0; i < before.size(); i++) {
				assertThat(now.get(i)).as("renewals of %s of each node", bundles).isGreaterThan(before.get(i));
			}
		});
	}

	/* Of each bundle of each node. */
	private List<Integer> renewals(List<String> bundles) {
		List<Integer> found = new ArrayList<>();
		for (NodeProcess node : this.nodes) {
			String log = node.log();
			for (String bundle : bundles) {
				found.add(log.split("The certificates of the bundle '" + bundle + "' are renewed", -1).length);
			}
		}
		return found;
	}

	/** A file with the certificates of both authorities. */
	Path both(Authority one, Authority other) throws IOException {
		Path file = Files.createTempFile(this.home, "both", ".crt");
		return Files.writeString(file, Files.readString(one.certificate()) + Files.readString(other.certificate()));
	}

	/**
	 * The TLS of a client.
	 * @param shown certificate that it shows, {@code null} for none
	 */
	static SSLContext client(Path trusted, @Nullable Issued shown) throws GeneralSecurityException {
		PemSslStoreDetails keys = (shown != null)
				? PemSslStoreDetails.forCertificate(shown.certificate().toUri().toString())
					.withPrivateKey(shown.key().toUri().toString())
				: null;
		PemSslStoreDetails authorities = PemSslStoreDetails.forCertificate(trusted.toUri().toString());
		return SslBundle.of(new PemSslStoreBundle(keys, authorities)).createSslContext();
	}

	/** A change of files. */
	@FunctionalInterface
	private interface Change {

		void run() throws IOException;

	}

}
