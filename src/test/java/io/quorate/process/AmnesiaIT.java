package io.quorate.process;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A node whose directory is lost: its peers notice, and it is rebuilt from them. */
class AmnesiaIT {

	private static final int BEFORE = Scale.of(500, 200_000);

	private static final int FILLERS = 4;

	private static final Duration FILLED = Duration.ofMinutes(Scale.of(1, 15));

	private static final Duration REBUILT = Duration.ofSeconds(Scale.of(60, 600));

	private static final int WRITERS = 2;

	private static final int KEYS = 100;

	private ClusterProcesses cluster = ClusterProcesses.none();

	@BeforeEach
	void startCluster(@TempDir Path home) throws Exception {
		this.cluster = ClusterProcesses.in(home, 3)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.coordinator.max-timeout", "10s")
			.with("quorate.repair.interval", "1s")
			.start();
	}

	@AfterEach
	void stopCluster() {
		this.cluster.close();
	}

	@Test
	void aNodeThatHasLostItsDirectoryIsRebuiltAndNobodyReadsWrong() throws Exception {
		Workers.run(FILLERS, FILLED, (filler) -> {
			for (int i = filler; i < BEFORE; i += FILLERS) {
				assertThat(client("n0").put("before-" + i, text("value " + i)).statusCode()).isEqualTo(201);
			}
		});
		AtomicBoolean stop = new AtomicBoolean();
		AtomicInteger reads = new AtomicInteger();
		try (Workers load = Workers.begin(WRITERS, (number) -> write(number, stop, reads))) {
			this.cluster.kill9("n1");
			this.cluster.restartWiped("n1");
			await().atMost(REBUILT).until(() -> this.cluster.node("n1").logOfThisStart().contains("is to be rebuilt"));
			assertThat(readiness("n1")).contains("503");
			await().atMost(REBUILT).until(() -> readiness("n1").contains("200"));
			int before = reads.get();
			await().atMost(REBUILT).until(() -> reads.get() > before + 200);
			stop.set(true);
			load.join(REBUILT);
		}
		StoreDigests same = StoreDigests.awaitSame(this.cluster, REBUILT);
		Scale.report("AmnesiaIT: %d reads, none wrong; all nodes hold the same %d entries".formatted(reads.get(),
				same.entries()));
		assertThat(same.entries()).isGreaterThanOrEqualTo(BEFORE + WRITERS * KEYS);
		this.cluster.terminate("n1");
		this.cluster.restart("n1");
		this.cluster.awaitConnected();
		assertThat(this.cluster.node("n1").logOfThisStart()).as("it was made good").doesNotContain("is to be rebuilt");
		assertThat(this.cluster.alarms()).isEmpty();
	}

	/** One writer of each key: what is read is never older than what was acknowledged. */
	private void write(int number, AtomicBoolean stop, AtomicInteger reads) throws Exception {
		int[] acknowledged = new int[KEYS];
		for (int version = 1; !stop.get(); version++) {
			for (int k = 0; k < KEYS && !stop.get(); k++) {
				String key = "under-load-" + number + "-" + k;
				if (some().put(key, text(Integer.toString(version))).statusCode() == 201) {
					acknowledged[k] = version;
				}
				int other = ThreadLocalRandom.current().nextInt(KEYS);
				requireNotOlder("under-load-" + number + "-" + other, acknowledged[other]);
				reads.incrementAndGet();
			}
		}
	}

	private void requireNotOlder(String key, int acknowledged) throws Exception {
		HttpResponse<byte[]> answer = some().get(key);
		if (answer.statusCode() == 404) {
			assertThat(acknowledged).as("%s is not there", key).isZero();
		}
		else if (answer.statusCode() == 200) {
			assertThat(Integer.parseInt(NodeClient.text(answer))).as(key).isGreaterThanOrEqualTo(acknowledged);
		}
		else {
			assertThat(answer.statusCode()).as(NodeClient.text(answer)).isIn(503, 504);
		}
	}

	/** A node that stays up. */
	private NodeClient some() {
		return client(List.of("n0", "n2").get(ThreadLocalRandom.current().nextInt(2)));
	}

	private NodeClient client(String name) {
		return this.cluster.client(name).with("replicas=2/3").within(Duration.ofSeconds(5));
	}

	private String readiness(String name) throws Exception {
		HttpResponse<byte[]> answer = this.cluster.client(name).getPath("/actuator/health/readiness");
		return answer.statusCode() + " " + NodeClient.text(answer);
	}

	private static byte[] text(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
