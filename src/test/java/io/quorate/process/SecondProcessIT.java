package io.quorate.process;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A directory has one process: another refuses to start, and harms nothing. */
@Tag(Scale.FULL)
class SecondProcessIT {

	@Test
	void aSecondProcessOnTheSameDirectoryRefusesAndNamesTheFirst(@TempDir Path home) throws Exception {
		byte[] value = "here".getBytes(StandardCharsets.UTF_8);
		try (NodeProcess first = NodeProcess.in(home.resolve("first")).start();
				NodeProcess second = NodeProcess.in(home.resolve("second"))
					.with("quorate.storage.directory", first.data().toString())) {
			NodeClient client = NodeClient.of(first);
			assertThat(client.put("before", value).statusCode()).isEqualTo(201);
			assertThat(second.launch().awaitExit()).isNotZero();
			assertThat(second.log()).contains(first.data().toString(), "is in use by process " + first.pid());
			assertThat(client.put("after", value).statusCode()).isEqualTo(201);
			assertThat(client.get("before").body()).isEqualTo(value);
			first.kill9();
			second.start();
			assertThat(NodeClient.of(second).get("after").body()).isEqualTo(value);
			assertThat(first.alarms()).isEmpty();
			assertThat(first.log().lines().filter((line) -> line.contains("Serving http"))).singleElement()
				.asString()
				.endsWith(
						"Serving http://127.0.0.1:%d to every program on this machine, without authentication; data in %s; cluster quorate, node n0, alone"
							.formatted(first.port(), first.data()));
			assertThat(first.log()).doesNotContain(":: Spring Boot ::");
		}
	}

}
