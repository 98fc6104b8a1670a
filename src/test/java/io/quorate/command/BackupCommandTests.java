package io.quorate.command;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import com.sun.net.httpserver.HttpServer;
import io.quorate.storage.file.InstantName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class BackupCommandTests {

	private String printed = "";

	private final List<String> asked = new CopyOnWriteArrayList<>();

	@TempDir
	Path home;

	@Test
	void aDirectoryThatIsNoBackupIsReported() {
		CommandRun run = CommandRun.of("restore", "--verify", this.home.toString());
		assertThat(run.exitCode()).isEqualTo(1);
		assertThat(run.err()).contains("not whole: ", "is no snapshot");
	}

	@Test
	void everyNodeIsAskedAndOneThatRefusesIsAFailure() throws IOException {
		HttpServer well = node(200, "{\"name\":\"taken\"}");
		HttpServer busy = node(409, "busy");
		try {
			assertThat(backup(url(well))).isZero();
			assertThat(backup(url(busy), url(well))).isEqualTo(1);
			assertThat(text()).contains(url(well) + ": {\"name\":\"taken\"}", url(busy) + ": 409 busy");
		}
		finally {
			well.stop(0);
			busy.stop(0);
		}
		assertThat(backup(url(well))).as("no node is there").isEqualTo(1);
	}

	@Test
	void allNodesAreGivenOneNameThatIsLaterThanWhatTheyHave() throws IOException {
		String newest = InstantName.of(System.currentTimeMillis() + 600_000);
		HttpServer ahead = node(200,
				"{\"backups\":[{\"name\":\"20260101T000000.000Z\"},{\"name\":\"%s\"}]}".formatted(newest));
		HttpServer other = node(200, "{\"backups\":[]}");
		try {
			assertThat(backup(url(ahead), url(other))).isZero();
		}
		finally {
			ahead.stop(0);
			other.stop(0);
		}
		String name = InstantName.of(InstantName.millisOf(newest).orElseThrow() + 1);
		assertThat(this.asked).containsExactly("{\"name\":\"" + name + "\"}", "{\"name\":\"" + name + "\"}");
		assertThat(text()).contains("name: " + name);
	}

	private int backup(String... urls) {
		List<String> line = new ArrayList<>(List.of("backup"));
		line.addAll(List.of(urls));
		CommandRun run = CommandRun.of(line.toArray(String[]::new));
		this.printed = run.out() + run.err();
		return run.exitCode();
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
		return this.printed;
	}

}
