package io.quorate.api;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import io.quorate.QuorateApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A watch of a whole node, which stops. */
class WatchNodeTests {

	@Test
	void aNodeThatStopsEndsItsWatchesAndDoesNotWaitForThem(@TempDir Path directory) throws IOException {
		// Longer than a test may take.
		ConfigurableApplicationContext node = new SpringApplication(QuorateApplication.class).run("--server.port=0",
				"--quorate.storage.directory=" + directory.resolve("data"),
				"--spring.lifecycle.timeout-per-shutdown-phase=10m");
		Thread stop = Thread.ofPlatform().unstarted(node::close);
		try {
			int port = node.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
			try (RawConnection client = RawConnection.to(port); RawConnection writer = RawConnection.to(port)) {
				assertThat(client.request("GET", "/v0/watch?prefix=a&cursor=0").head().status).isEqualTo(200);
				awaited(client, "event: live");
				assertThat(writer.request("PUT", "/v0/entity/a/1", "Content-Length: 3").send("red").answer().status)
					.isEqualTo(201);
				assertThat(awaited(client, "event: put")).contains("\"key\":\"a/1\"").contains("id: ");
				stop.start();
				assertThat(awaited(client, "event: end")).contains("{\"why\":\"draining\"}");
				assertThat(client.chunk()).isNull();
				await().until(() -> !stop.isAlive());
			}
		}
		finally {
			node.close();
		}
	}

	private static String awaited(RawConnection client, String event) throws IOException {
		for (byte[] chunk = client.chunk(); chunk != null; chunk = client.chunk()) {
			String text = new String(chunk, StandardCharsets.UTF_8);
			if (text.contains(event)) {
				return text;
			}
		}
		throw new AssertionError("the end came before " + event);
	}

}
