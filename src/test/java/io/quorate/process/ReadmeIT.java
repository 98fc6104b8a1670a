package io.quorate;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Every example of the README, typed into a shell in its order: the node must answer what
 * stands there. A line {@code ...} stands for any lines, and dots in a line for any text.
 * Needs {@code bash} and {@code curl}.
 */
class ReadmeIT {

	private static final Pattern CONSOLE = Pattern.compile("(?s)```console\n(.*?)```");

	private static final String ADDRESS = "http://localhost:8080";

	@TempDir
	private static Path directory;

	private static Process node;

	private static int port;

	@BeforeAll
	static void startNode() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			port = socket.getLocalPort();
		}
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of(System.getProperty("quorate.jvm.arguments").split(" ", -1)));
		command.addAll(List.of("-jar", System.getProperty("quorate.jar"), "--server.port=" + port,
				"--quorate.storage.directory=" + directory.resolve("data")));
		node = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(directory.resolve("log").toFile())
			.start();
		try (HttpClient client = HttpClient.newHttpClient()) {
			HttpRequest status = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v0/status")).build();
			await().atMost(Duration.ofSeconds(60))
				.pollInterval(Duration.ofMillis(200))
				.ignoreExceptionsInstanceOf(IOException.class)
				.until(() -> client.send(status, BodyHandlers.discarding()).statusCode() == 200);
		}
	}

	@AfterAll
	static void stopNode() throws InterruptedException {
		node.destroy();
		assertThat(node.waitFor(60, TimeUnit.SECONDS)).as("the node stops").isTrue();
	}

	@TestFactory
	Stream<DynamicTest> examplesOfTheReadmeAreAnsweredAsTheySay() throws IOException {
		List<Example> examples = examples(Files.readString(Path.of("README.md")));
		assertThat(examples).hasSizeGreaterThan(10);
		return examples.stream().map((example) -> DynamicTest.dynamicTest(example.command, () -> verify(example)));
	}

	private static List<Example> examples(String readme) {
		List<Example> examples = new ArrayList<>();
		Matcher blocks = CONSOLE.matcher(readme);
		while (blocks.find()) {
			for (String step : blocks.group(1).split("(?m)^\\$ ", -1)) {
				if (!step.isEmpty()) {
					int end = step.indexOf('\n');
					examples.add(new Example(step.substring(0, end), step.substring(end + 1).strip()));
				}
			}
		}
		return examples;
	}

	private static void verify(Example example) throws IOException, InterruptedException {
		assertThat(example.command).startsWith("curl ").contains(ADDRESS);
		String command = example.command.replaceFirst("^curl", "curl -sS --max-time 20")
			.replace(ADDRESS, "http://127.0.0.1:" + port);
		Process shell = new ProcessBuilder("bash", "-c", command).redirectErrorStream(true).start();
		String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(shell.waitFor()).as(output).isZero();
		String printed = output.replace("\r", "").strip();
		assertThat(printed.isEmpty() ? printed : printed + "\n").matches(pattern(example.output));
	}

	private static Pattern pattern(String expected) {
		return Pattern.compile(expected.lines().map(ReadmeIT::patternOfLine).collect(Collectors.joining()));
	}

	private static String patternOfLine(String line) {
		if (line.equals("...")) {
			return "(?:.*\n)*?";
		}
		return Stream.of(line.split("\\.\\.\\.", -1)).map(Pattern::quote).collect(Collectors.joining(".*")) + "\n";
	}

	/**
	 * A command and what it must print.
	 */
	private record Example(String command, String output) {
	}

}
