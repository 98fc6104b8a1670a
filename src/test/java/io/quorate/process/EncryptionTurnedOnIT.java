package io.quorate.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

import io.quorate.Authority.Issued;
import io.quorate.Authority;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Three nodes under load between which encryption is turned on, and off again, one node
 * after the other, in two steps each way. A node is killed half-way. No request fails.
 */
@Tag(Scale.FULL)
class EncryptionTurnedOnIT {

	private static final String NAME = "EncryptionTurnedOnIT";

	private static final String MODE = "quorate.internode.tls";

	private static final Duration PROBE_PERIOD = Duration.ofMillis(Scale.of(250, 100));

	/* Longer than requests take: those that began before it still reach the node. */
	private static final Duration DRAIN_DELAY = Duration.ofMillis(Scale.of(500, 5000));

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private static final int ROUNDS = Integer.getInteger("quorate.rounds", Scale.of(1, 10));

	/*
	 * The first one meets both modes; a whole cluster that requires it is in other tests,
	 * too.
	 */
	private static final List<String> REQUIRED = List.of("n2", "n1", "n0").subList(0, Scale.of(1, 3));

	private static final int TERMINATED = 143;

	@Test
	void noRequestFailsWhileEncryptionIsTurnedOnAndOff(@TempDir Path home) throws Exception {
		Authority authority = new Authority(home, "authority");
		SplittableRandom random = new SplittableRandom(Scale.seed(NAME));
		try (ClusterProcesses cluster = ClusterProcesses.in(home, 3)) {
			for (String name : cluster.names()) {
				Issued issued = authority.issue(name, "ip:127.0.0.1");
				cluster.one(name,
						(node) -> node
							.with("spring.ssl.bundle.pem.peers.keystore.certificate", text(issued.certificate()))
							.with("spring.ssl.bundle.pem.peers.keystore.private-key", text(issued.key()))
							.with("spring.ssl.bundle.pem.peers.truststore.certificate", text(issued.trusted())));
			}
			cluster.withHeap("192m")
				.withJvm("-XX:TieredStopAtLevel=1")
				.with("quorate.operations.drain-delay", DRAIN_DELAY.toMillis() + "ms")
				.with("quorate.internode.ssl-bundle", "peers")
				.with(MODE, "off")
				.start();
			try (ReadyNodes ready = ReadyNodes.of(cluster, PROBE_PERIOD)) {
				cluster.names().forEach(ready::enter);
				try (UpgradeLoad load = UpgradeLoad.begin(NAME, cluster, ready, random)) {
					for (int round = 0; round < ROUNDS; round++) {
						onAndOff(cluster, ready, load);
					}
					load.end();
					load.requireEverything();
				}
			}
			assertThat(cluster.alarms()).isEmpty();
		}
	}

	private static String text(Path file) {
		return file.toString();
	}

	private static void onAndOff(ClusterProcesses cluster, ReadyNodes ready, UpgradeLoad load) throws Exception {
		awaitForm(cluster, "plain");
		load.phase("off to optional, a kill between");
		restart(cluster, ready, load, List.of("n2", "n0"), "optional");
		load.killAndRestart("n0");
		restart(cluster, ready, load, List.of("n1"), "optional");
		awaitForm(cluster, "tls");
		load.phase("optional to required");
		restart(cluster, ready, load, REQUIRED, "required");
		awaitForm(cluster, "tls");
		load.phase("required to optional");
		restart(cluster, ready, load, REQUIRED, "optional");
		awaitForm(cluster, "tls");
		load.phase("optional to off, a kill between");
		restart(cluster, ready, load, List.of("n2"), "off");
		load.killAndRestart("n1");
		restart(cluster, ready, load, List.of("n1", "n0"), "off");
		awaitForm(cluster, "plain");
	}

	/** As Kubernetes does: the next node when this one is ready and has its peers. */
	private static void restart(ClusterProcesses cluster, ReadyNodes ready, UpgradeLoad load, List<String> order,
			String mode) throws Exception {
		for (String name : order) {
			load.leave(name);
			assertThat(cluster.terminate(name)).isEqualTo(TERMINATED);
			cluster.one(name, (node) -> node.with(MODE, mode)).restart(name);
			ready.enter(name);
			cluster.awaitConnected();
		}
	}

	/** All connections have this form, by the meters and the health of each node. */
	private static void awaitForm(ClusterProcesses cluster, String form) {
		String other = form.equals("tls") ? "plain" : "tls";
		await().atMost(PATIENCE).untilAsserted(() -> {
			for (String name : cluster.names()) {
				MeterReadings meters = MeterReadings.of(cluster.client(name));
				for (String peer : cluster.others(name)) {
					String label = "peer=\"%s\"".formatted(peer);
					assertThat(meters.sum("quorate_internode_connections", label, "encryption=\"" + form + "\""))
						.as("%s to %s", name, peer)
						.isGreaterThanOrEqualTo(3);
					assertThat(meters.sum("quorate_internode_connections", label, "encryption=\"" + other + "\""))
						.isZero();
				}
				String health = NodeClient.text(cluster.client(name).getPath("/actuator/health"));
				assertThat(health.replaceAll("\\s", ""))
					.contains(form.equals("tls") ? "\"plain\":[]" : "\"plain\":[\"n");
			}
		});
	}

}
