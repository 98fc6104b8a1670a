package io.quorate.process;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Pattern;

import io.quorate.Authority;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A cluster whose nodes require certificates of each other grows from three members to
 * four under a mixed load: no request fails. A candidate whose certificate does not name
 * its host, or is of another authority, is refused in words.
 */
@Tag(Scale.FULL)
class EncryptedGrowthIT {

	private static final String NAME = "EncryptedGrowthIT";

	private static final String JOINER = "n3";

	private static final String MISNAMED = "n4";

	private static final String FOREIGN = "n5";

	/* What members say of the two, and these of members. */
	private static final Pattern REFUSED = Pattern
		.compile("(is refused|is not reached).*(certificate|certification|TLS)");

	@Test
	void onlyANodeWithACertificateJoins(@TempDir Path home) throws Exception {
		Authority authority = new Authority(home, "authority");
		Authority another = new Authority(home, "another");
		ClusterCertificates certificates = new ClusterCertificates(home);
		Authority.Issued peer = authority.issue("peer", ClusterCertificates.ANY_NODE);
		Authority.Issued misnamed = authority.issue("misnamed", "dns:elsewhere.example,ip:127.0.0.9");
		Authority.Issued foreign = another.issue("foreign", ClusterCertificates.ANY_NODE)
			.withTrusted(certificates.both(authority, another));
		try (ChangingCluster cluster = ChangingCluster.start(home, 3, (processes) -> {
			processes.with("quorate.internode.tls", "required");
			for (String name : processes.names()) {
				certificates.mountForPeers(processes.node(name), name,
						Map.of(MISNAMED, misnamed, FOREIGN, foreign).getOrDefault(name, peer));
			}
		});
				MixedLoad load = MixedLoad.through(cluster.processes(), new SplittableRandom(Scale.seed(NAME)), "n0",
						"n1", "n2")) {
			requireRefused(cluster, MISNAMED, "No subject alternative names matching IP address 127.0.0.1 found");
			requireRefused(cluster, FOREIGN, "unable to find valid certification path to requested target");
			cluster.startCandidate(JOINER);
			long added = cluster.add("n1", JOINER);
			assertThat(added).as("nothing was decided before").isEqualTo(3);
			cluster.awaitStable(added + 1, "n0", "n1", "n2", JOINER);
			cluster.awaitReady(JOINER);
			load.trust(JOINER);
			Scale.report("%s: to four members, %s".formatted(NAME, load.end("n0", "n1", "n2", JOINER)));
			for (String name : List.of("n0", "n1", "n2", JOINER)) {
				assertThat(NodeClient.text(cluster.processes().client(name).getPath("/actuator/health"))).as(name)
					.contains("\"mode\":\"required\"", "\"plain\":[]");
			}
			assertThat(cluster.alarms().stream().filter((line) -> !REFUSED.matcher(line).find())).isEmpty();
		}
	}

	private static void requireRefused(ChangingCluster cluster, String candidate, String why) throws Exception {
		cluster.startCandidate(candidate);
		// Before the reason of the certificate it may be that no handshake was in time.
		await().atMost(ChangingCluster.LIMIT).untilAsserted(() -> {
			String said = cluster.refusal("n1", "add", "\"member\":\"%s\"".formatted(cluster.address(candidate)));
			assertThat(said).contains("is not reached as a candidate", why);
		});
		cluster.discard(candidate);
	}

}
