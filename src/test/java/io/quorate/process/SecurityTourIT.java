package io.quorate.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quorate.Handbook;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Every example of the tour from open to secure, typed into a shell in its order. A start
 * of {@code bin/quorate server} ends the node before it. Needs {@code bash}, {@code curl}
 * and {@code openssl}.
 */
@Tag(Scale.FULL)
class SecurityTourIT {

	private static final Duration LIMIT = Duration.ofMinutes(2);

	private static final String NODE = "bin/quorate server ";

	@TempDir
	private static Path home;

	private static @Nullable Process node;

	private static int port;

	private static int starts;

	/* The words before a command that starts a JVM. */
	private static String environment = "";

	@BeforeAll
	static void choosePort() throws IOException {
		port = FreePorts.first(1);
		environment = BuiltNode.environment("-Xmx192m -XX:TieredStopAtLevel=1")
			.entrySet()
			.stream()
			.map((variable) -> "'%s=%s' ".formatted(variable.getKey(), variable.getValue()))
			.collect(Collectors.joining("", "env ", ""));
	}

	@AfterAll
	static void stopNode() throws InterruptedException {
		if (node != null) {
			node.destroy();
			assertThat(node.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
		}
	}

	@TestFactory
	Stream<DynamicTest> examplesOfTheTourAreAnsweredAsTheySay() throws IOException {
		List<ConsoleExample> examples = ConsoleExample.ofHandbook(Handbook.SECURITY, "A tour from open to secure");
		assertThat(examples).hasSizeGreaterThan(20);
		return examples.stream()
			.map((example) -> DynamicTest.dynamicTest(example.command(),
					() -> (example.command().startsWith(NODE) ? started(example) : example)
						.verify(SecurityTourIT::here)));
	}

	/*
	 * The log of the node is the output of its start, up to the last line that the
	 * example shows: others may follow at any time.
	 */
	private static ConsoleExample started(ConsoleExample example) throws IOException, InterruptedException {
		stopNode();
		Path log = home.resolve("log-" + ++starts);
		Process started = new ProcessBuilder("bash", "-c", "exec " + here(example.command()) + " --server.port=" + port)
			.redirectErrorStream(true)
			.redirectOutput(log.toFile())
			.start();
		node = started;
		await().atMost(LIMIT).until(() -> !started.isAlive() || Files.readString(log).contains("Serving http"));
		return new ConsoleExample("sed '/Serving http/q' " + log, example.output());
	}

	private static String here(String text) {
		return text.replaceFirst("^bin/", environment + Path.of("bin").toAbsolutePath() + "/")
			.replace("target/tour", home.resolve("tour").toString())
			.replace(":8080", ":" + port);
	}

}
