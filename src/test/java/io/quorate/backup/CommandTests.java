package io.quorate.backup;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import com.sun.net.httpserver.HttpServer;
import io.quorate.storage.file.InstantName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class CommandTests {

	private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

	private final PrintStream out = new PrintStream(this.printed, true, StandardCharsets.UTF_8);

	private final List<String> asked = new CopyOnWriteArrayList<>();

	@TempDir
	Path home;

	@Test
	void wrongArgumentsAreExplained() {
		for (List<String> arguments : List.of(List.<String>of(), List.of("a"), List.of("--verify", "a", "b"),
				List.of("--wholecluster", "a", "b"), List.of("a", "b", "c"))) {
			this.printed.reset();
			assertThat(RestoreCommand.run(arguments, this.out, this.out)).as("%s", arguments).isEqualTo(2);
			assertThat(text()).contains("restore [--whole-cluster] [--replace] SNAPSHOT DIRECTORY");
		}
		assertThat(BackupCommand.run(List.of(), this.out, this.out)).isEqualTo(2);
	}

	@Test
	void aDirectoryThatIsNoBackupIsReported() {
		assertThat(RestoreCommand.run(List.of("--verify", this.home.toString()), this.out, this.out)).isEqualTo(1);
		assertThat(text()).contains("Not whole: ", "is no snapshot");
	}

	@Test
	void everyNodeIsAskedAndOneThatRefusesIsAFailure() throws IOException {
		HttpServer well = node(200, "{\"name\":\"taken\"}");
		HttpServer busy = node(409, "busy");
		try {
			assertThat(BackupCommand.run(List.of(url(well)), this.out, this.out)).isZero();
			assertThat(BackupCommand.run(List.of(url(busy), url(well)), this.out, this.out)).isEqualTo(1);
			assertThat(text()).contains(url(well) + ": {\"name\":\"taken\"}", url(busy) + ": 409 busy");
		}
		finally {
			well.stop(0);
			busy.stop(0);
		}
		assertThat(BackupCommand.run(List.of(url(well)), this.out, this.out)).as("nobody is there").isEqualTo(1);
	}

	@Test
	void allNodesAreGivenOneNameThatIsLaterThanWhatTheyHave() throws IOException {
		String newest = InstantName.of(System.currentTimeMillis() + 600_000);
		HttpServer ahead = node(200,
				"{\"backups\":[{\"name\":\"20260101T000000.000Z\"},{\"name\":\"%s\"}]}".formatted(newest));
		HttpServer other = node(200, "{\"backups\":[]}");
		try {
			assertThat(BackupCommand.run(List.of(url(ahead), url(other)), this.out, this.out)).isZero();
		}
		finally {
			ahead.stop(0);
			other.stop(0);
		}
		String name = InstantName.of(InstantName.millisOf(newest).orElseThrow() + 1);
		assertThat(this.asked).containsExactly("{\"name\":\"" + name + "\"}", "{\"name\":\"" + name + "\"}");
		assertThat(text()).contains("name: " + name);
	}

	private HttpServer node(int status, String answer) throws IOException {
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/actuator/backup", (exchange) -> {
			byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
			boolean isTaken = exchange.getRequestMethod().equals("POST");
			if (isTaken) {
				this.asked.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
			}
			exchange.sendResponseHeaders(isTaken ? status : 200, bytes.length);
			exchange.getResponseBody().write(bytes);
			exchange.close();
		});
		server.start();
		return server;
	}

	private static String url(HttpServer server) {
		return "http://127.0.0.1:" + server.getAddress().getPort();
	}

	private String text() {
		return this.printed.toString(StandardCharsets.UTF_8);
	}

}
