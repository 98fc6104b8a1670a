package io.quorate.process;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Over processes: how often a large value goes from node to node to be read. */
@Tag(Scale.FULL)
class ClusterDigestReadsIT {

	private static final int SIZE = 1 << 20;

	private static final int KEYS = 4;

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	/* What travels with an answer, and what nodes have to say to each other meanwhile. */
	private static final int OVERHEAD = SIZE / 10;

	@Test
	void aLargeValueIsTransferredOnceAtTheMost(@TempDir Path home) throws Exception {
		try (ClusterProcesses cluster = ClusterProcesses.in(home, 4).withReplicationFactor(3).start()) {
			for (int i = 0; i < KEYS; i++) {
				assertThat(cluster.client("n0").with("replicas=3/3").put("key" + i, value(i)).statusCode())
					.isEqualTo(201);
			}
			List<Integer> transfers = new ArrayList<>();
			for (String reader : cluster.names()) {
				for (int i = 0; i < KEYS; i++) {
					transfers.add(transfers(cluster, reader, i));
				}
			}
			assertThat(transfers).as("from a node that holds the key, and from one that does not")
				.containsOnly(0, 1)
				.filteredOn((times) -> times == 1)
				.hasSize(KEYS);
			assertThat(cluster.alarms()).isEmpty();
		}
	}

	/**
	 * A read that has asked one more because others were slow says nothing: once more.
	 */
	private static int transfers(ClusterProcesses cluster, String reader, int number) throws Exception {
		NodeClient client = cluster.client(reader);
		double bytes = 0;
		String timing = "hedge";
		long end = System.nanoTime() + PATIENCE.toNanos();
		while (timing.contains("hedge") && System.nanoTime() - end < 0) {
			double before = received(client);
			HttpResponse<byte[]> answer = client.getPath("/v0/entity?replicas=2/3&id=key" + number);
			bytes = received(client) - before;
			timing = answer.headers().firstValue("Server-Timing").orElseThrow();
			assertThat(answer.body()).as("key%d through %s", number, reader).isEqualTo(value(number));
		}
		assertThat(timing).contains("desc=\"found\"", "desc=\"digest\"");
		int times = (int) (bytes / SIZE);
		assertThat(bytes - (double) times * SIZE).as("bytes besides the value").isLessThan(OVERHEAD);
		return times;
	}

	private static double received(NodeClient client) throws Exception {
		return MeterReadings.of(client)
			.sumOfSome("quorate_internode_transferred_bytes_total", "direction=\"received\"");
	}

	private static byte[] value(int number) {
		return Contents.of("large", number, SIZE);
	}

}
