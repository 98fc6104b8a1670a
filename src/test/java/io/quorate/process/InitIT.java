package io.quorate.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.quorate.command.CommandRun;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A secured cluster of three, of the directories that {@code quorate init} has written
 * and of nothing else. One node is lost, and another one replaces it.
 */
@Tag(Scale.FULL)
class InitIT {

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private static final String TOKEN = "app.token";

	@TempDir
	private Path home;

	private Path cluster = Path.of("");

	private final List<NodeProcess> nodes = new ArrayList<>();

	@Test
	void threeNodesOfTheirDirectoriesServeAndOneIsReplaced() throws Exception {
		this.cluster = this.home.resolve("cluster");
		done(CommandRun.of("init", "--hosts", "n0=127.0.0.1,n1=127.0.0.1,n2=127.0.0.1", "--port",
				Integer.toString(FreePorts.first(4)), "--internode-port", Integer.toString(FreePorts.first(4)), "--out",
				this.cluster.toString()));
		try {
			for (String id : List.of("n0", "n1", "n2")) {
				this.nodes.add(node(id).launch());
			}
			this.nodes.forEach(NodeProcess::awaitServing);
			awaitWhole();
			done(run("put", "greeting", "Hello, world", "--replicas", "3/3"));
			requireNoStrangers();

			this.nodes.get(2).kill9();
			done(run("put", "farewell", "Goodbye"));
			CommandRun added = done(CommandRun.of("init", "--replace", "n2", "--hosts", "n3=127.0.0.1", "--out",
					this.cluster.toString()));
			this.nodes.add(node("n3").launch());
			this.nodes.getLast().awaitServing();
			replace(added.out().replaceFirst("(?s).*quorate (cluster replace .*)\n", "$1"));
			awaitWhole();
			for (Map.Entry<String, String> each : Map.of("greeting", "Hello, world", "farewell", "Goodbye")
				.entrySet()) {
				assertThat(done(run("get", each.getKey(), "--replicas", "3/3")).out()).isEqualTo(each.getValue());
			}
			// On a busy machine a handshake ends late, and the connection is made anew.
			assertThat(this.nodes.stream().flatMap((node) -> node.alarms().stream()))
				.filteredOn((line) -> !line.contains(" is not reached: "))
				.isEmpty();
		}
		finally {
			this.nodes.forEach(NodeProcess::close);
		}
	}

	/* In its own directory, with data beside it: the machine has no /var/lib/quorate. */
	private NodeProcess node(String id) throws Exception {
		Path directory = this.cluster.resolve(id);
		return NodeProcess.in(directory)
			.without("server.port")
			.withTls(ClusterCertificates.client(this.cluster.resolve("operator/clients-ca.crt"), null));
	}

	private CommandRun run(String... arguments) {
		Path settings = this.cluster.resolve("operator/client.properties");
		String[] line = Stream.concat(Stream.of(arguments), Stream.of("--timeout", "30s")).toArray(String[]::new);
		return CommandRun.of(Map.of("QUORATE_CONFIG", settings.toString()), "", line);
	}

	private static CommandRun done(CommandRun run) {
		assertThat(run.exitCode()).as(run.toString()).isZero();
		return run;
	}

	/* Each node of the settings serves, and has connections with all others. */
	private void awaitWhole() {
		await().atMost(LIMIT).untilAsserted(() -> {
			CommandRun status = done(run("status"));
			assertThat(status.out().lines().skip(1)).hasSize(3).allMatch((line) -> line.endsWith("2 of 2 up"));
		});
	}

	/*
	 * As the output of init says, once the members have missed the lost one for a time.
	 */
	private void replace(String command) {
		String[] words = Stream.concat(Stream.of(command.split(" ", -1)), Stream.of("--within", "2m"))
			.toArray(String[]::new);
		await().atMost(LIMIT).untilAsserted(() -> done(run(words)));
	}

	private void requireNoStrangers() throws IOException, InterruptedException {
		NodeClient stranger = NodeClient.of(this.nodes.getFirst());
		assertThat(stranger.get("greeting").statusCode()).isEqualTo(401);
		Path settings = this.cluster.resolve("operator");
		String url = this.nodes.getFirst().uri("").toString();
		CommandRun app = CommandRun.of("get", "greeting", "-e", url, "--ca",
				settings.resolve("clients-ca.crt").toString(), "--token-file", settings.resolve(TOKEN).toString(),
				"--timeout", "30s");
		assertThat(done(app).out()).isEqualTo("Hello, world");
		assertThat(CommandRun.of("status", "-e", url, "--ca", settings.resolve("nodes-ca.crt").toString(),
				"--token-file", settings.resolve(TOKEN).toString()))
			.matches((untrusted) -> untrusted.exitCode() != 0);
		assertThat(Files.readString(this.cluster.resolve("n0/log"))).contains("Serving https://");
	}

}
