package io.quorate.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A member whose host has another address after its restart: the others find it. */
@Tag(Scale.FULL)
class MovedMemberIT {

	private static final String HOST = "second.quorate.test";

	@Test
	void theOthersFindAMemberAtTheNewAddressOfItsHost(@TempDir Path home) throws Exception {
		Path hosts = home.resolve("hosts");
		List<Integer> ports = FreePorts.any(2);
		String members = "n0@127.0.0.1:%d,n1@%s:%d".formatted(ports.get(0), HOST, ports.get(1));
		try (ClusterProcesses cluster = ClusterProcesses.in(home, 2)
			.with("quorate.cluster.members", members)
			.withReplicationFactor(2)
			.withHeap("128m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.withJvm("-Djdk.net.hosts.file=" + hosts)) {
			listen(cluster, hosts, "127.0.0.2");
			cluster.start();
			assertThat(cluster.terminate("n1")).isEqualTo(143);
			listen(cluster, hosts, "127.0.0.3");
			cluster.restart("n1");
			NodeClient client = cluster.client("n0").with("replicas=2/2");
			await().untilAsserted(
					() -> assertThat(client.put("moved", Contents.of("moved", 1, 100)).statusCode()).isEqualTo(201));
		}
	}

	private static void listen(ClusterProcesses cluster, Path hosts, String address) throws IOException {
		Files.writeString(hosts, "127.0.0.1 localhost\n%s %s\n".formatted(address, HOST));
		cluster.one("n1", (node) -> node.with("quorate.internode.address", address));
	}

}
