package io.quorate.spring.boot.cluster;

import java.time.Duration;
import java.util.UUID;

import io.quorate.client.QuorateClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Tests of what is stored in a cluster, each with keys of its own. */
@Tag("cluster")
abstract class Stores {

	private static QuorateClient client = QuorateClient.of("http://localhost:1");

	/** The beginning of the keys of this test. */
	final String prefix = UUID.randomUUID() + "/";

	@BeforeAll
	static void connect() {
		client = QuorateClient.builder()
			.endpoints(Cluster.get().urls())
			.options((options) -> options.deadline(Duration.ofMinutes(1))
				.nodeTimeout(Duration.ofSeconds(Cluster.NODE_SECONDS))
				.stallTimeout(Duration.ofSeconds(Cluster.NODE_SECONDS + 5)))
			.build();
	}

	@AfterAll
	static void disconnect() {
		client.close();
	}

	static QuorateClient client() {
		return client;
	}

}
