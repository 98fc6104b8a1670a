package io.quorate.process;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quorate.Authority.Issued;
import io.quorate.Authority;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Three nodes that authenticate each other, get new certificates while they run, and lose
 * one of them.
 */
class EncryptedClusterIT {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	@Test
	void certificatesAreRenewedWithoutARestartAndNodesReconnect(@TempDir Path home) throws Exception {
		Authority authority = new Authority(home, "authority");
		Issued first = authority.issue("first", "ip:127.0.0.1");
		Issued second = authority.issue("second", "ip:127.0.0.1");
		List<Issued> mounted = new ArrayList<>();
		try (ClusterProcesses cluster = ClusterProcesses.in(home, 3)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.internode.ssl-bundle", "peers")
			.with("spring.ssl.bundle.watch.file.quiet-period", "200ms")
			.with("spring.ssl.bundle.pem.peers.reload-on-update", "true")
			.with("spring.ssl.bundle.pem.peers.keystore.verify-keys", "true")) {
			for (String name : cluster.names()) {
				Issued files = first.copyTo(home.resolve("tls-" + name));
				mounted.add(files);
				cluster.one(name,
						(node) -> node
							.with("spring.ssl.bundle.pem.peers.keystore.certificate", files.certificate().toString())
							.with("spring.ssl.bundle.pem.peers.keystore.private-key", files.key().toString())
							.with("spring.ssl.bundle.pem.peers.truststore.certificate", files.trusted().toString()));
			}
			cluster.start();
			requirePutAndGet(cluster, "before");
			for (int i = 0; i < 3; i++) {
				second.replace(mounted.get(i));
				NodeProcess node = cluster.node("n" + i);
				await().atMost(PATIENCE)
					.untilAsserted(() -> assertThat(node.log())
						.contains("The certificates of the bundle 'peers' are renewed"));
			}
			requirePutAndGet(cluster, "renewed");
			cluster.kill9("n1");
			assertThat(cluster.client("n0").put("away", "1".getBytes(StandardCharsets.UTF_8)).statusCode())
				.isEqualTo(201);
			cluster.restart("n1");
			cluster.awaitConnected();
			requirePutAndGet(cluster, "again");
			cluster.client("n1").with("replicas=3/3").get("away");
			assertThat(cluster.alarms()).isEmpty();

			cluster.kill9("n2");
			cluster.one("n2", (node) -> node.without("quorate.internode.ssl-bundle"));
			cluster.start("n2");
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(cluster.node("n0").log())
					.contains("is refused: it does not speak TLS, and this node does"));
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(cluster.node("n2").log())
					.contains("is refused: it speaks TLS, and this node does not"));
		}
	}

	private static void requirePutAndGet(ClusterProcesses cluster, String key) throws Exception {
		byte[] value = Contents.of(key, 1, 100_000);
		assertThat(ofAll(cluster, "n0").put(key, value).statusCode()).isEqualTo(201);
		for (String name : cluster.names()) {
			assertThat(ofAll(cluster, name).get(key).body()).isEqualTo(value);
		}
	}

	/* Connections for large messages are made by the first of them. */
	private static NodeClient ofAll(ClusterProcesses cluster, String name) {
		return cluster.client(name).with("replicas=3/3").patient();
	}

}
