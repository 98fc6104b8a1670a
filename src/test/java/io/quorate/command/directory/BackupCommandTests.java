package io.quorate.command.directory;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.sun.net.httpserver.HttpServer;
import io.quorate.command.CommandRun;
import io.quorate.command.Program;
import io.quorate.command.terminal.Output;
import io.quorate.command.terminal.Terminal;
import io.quorate.storage.file.InstantName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class BackupCommandTests {

	private String printed = "";

	private final List<String> asked = new CopyOnWriteArrayList<>();

	private final CountDownLatch isShown = new CountDownLatch(1);

	private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

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

	private static String takenBy(String deciding) {
		return "{\"sizeBytes\":1,\"layout\":{\"version\":4,\"deciding\":\"%s\"}}".formatted(deciding);
	}

	/* Such backups are of both sides of a change: a cluster cannot begin with them. */
	@Test
	void backupsByDifferentMembersAreAFailure() throws IOException {
		HttpServer before = node(200, takenBy("[n0, n1], 2 copies"));
		HttpServer after = node(200, takenBy("[n0, n1, n2], 2 copies"));
		HttpServer older = node(200, "{\"sizeBytes\":1}");
		try {
			assertThat(backup(url(before), url(before), url(older))).isZero();
			assertThat(backup(url(before), url(after))).isEqualTo(1);
			assertThat(text()).contains("have changed while the backups were taken", "take another run",
					url(after) + ": backup by the layout of [n0, n1, n2], 2 copies");
		}
		finally {
			before.stop(0);
			after.stop(0);
			older.stop(0);
		}
	}

	@Test
	void aBackupWhoseLayoutIsNotKnownIsAFailure() throws IOException {
		HttpServer node = node(200, "{\"sizeBytes\":1,\"layoutUnknown\":\"it has changed too often\"}");
		try {
			assertThat(backup(url(node))).isEqualTo(1);
			assertThat(text()).contains("take another run", "it has changed too often",
					url(node) + ": backup by the layout of members that are not known any more");
		}
		finally {
			node.stop(0);
		}
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

	@Test
	void aScreenShowsTheProgressThatANodeReports() throws IOException {
		HttpServer node = slowNode("\"bytes\":500,\"bytesInAll\":1000");
		assertThat(backupOnScreen(" 50 %  500 B", node))
			.matches("name: \\S+\\R" + Pattern.quote(url(node) + ": {\"sizeBytes\":2000}") + "\\R");
		assertThat(text()).contains("backed up [===========>            ]  50 %  500 B  ",
				"\r\u001b[Kbacked up 2.0 kB in ", "; failed: 0");
	}

	@Test
	void theWholeIsUnknownWhileANodeDoesNotReportIt() throws IOException {
		HttpServer telling = slowNode("\"bytes\":500,\"bytesInAll\":1000");
		HttpServer older = slowNode("\"bytes\":7");
		backupOnScreen("backed up  507 B", telling, older);
		// Once one of the nodes has its backup, the whole is known.
		assertThat(text()).containsPattern("backed up  507 B  [^\\r\\[%]*  in 0:0").contains("backed up 4.0 kB in ");
	}

	@Test
	void theBytesOfANodeThatFailsDoNotCount() throws IOException {
		HttpServer well = node(200, "{\"sizeBytes\":2000}");
		HttpServer full = node(507, "no room");
		try {
			assertThat(backup(url(well), url(full))).isEqualTo(1);
		}
		finally {
			well.stop(0);
			full.stop(0);
		}
		assertThat(text()).contains("backed up 2.0 kB in ", "; failed: 1");
	}

	/* Standard output; the nodes complete their backups when the screen shows a text. */
	private String backupOnScreen(String shown, HttpServer... nodes) {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		ByteArrayOutputStream err = new ByteArrayOutputStream() {

			@Override
			public synchronized void write(byte[] bytes, int offset, int length) {
				super.write(bytes, offset, length);
				if (toString(StandardCharsets.UTF_8).contains(shown)) {
					BackupCommandTests.this.isShown.countDown();
				}
			}

		};
		List<String> line = new ArrayList<>(List.of("backup"));
		Stream.of(nodes).map(BackupCommandTests::url).forEach(line::add);
		try {
			assertThat(Program.run(line,
					new Terminal(InputStream.nullInputStream(), new Output(out, false),
							new PrintStream(err, true, StandardCharsets.UTF_8), new Terminal.Screens(false, true),
							Map.of(), this.home)))
				.isZero();
		}
		finally {
			Stream.of(nodes).forEach((node) -> node.stop(0));
			this.threads.shutdownNow();
		}
		this.printed = err.toString(StandardCharsets.UTF_8);
		return out.toString(StandardCharsets.UTF_8);
	}

	private HttpServer slowNode(String progress) throws IOException {
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.setExecutor(this.threads);
		AtomicReference<String> name = new AtomicReference<>("{\"name\":\"\"}");
		server.createContext("/actuator/backup", (exchange) -> {
			String answer;
			if (exchange.getRequestMethod().equals("POST")) {
				name.set(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
				awaitShown();
				answer = "{\"sizeBytes\":2000}";
			}
			else {
				answer = "{\"underWay\":%s,%s},\"backups\":[]}".formatted(name.get().replace("}", ""), progress);
			}
			exchange.sendResponseHeaders(200, answer.length());
			exchange.getResponseBody().write(answer.getBytes(StandardCharsets.UTF_8));
			exchange.close();
		});
		server.start();
		return server;
	}

	private void awaitShown() {
		try {
			assertThat(this.isShown.await(1, TimeUnit.MINUTES)).isTrue();
		}
		catch (InterruptedException stop) {
			throw new IllegalStateException(stop);
		}
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
