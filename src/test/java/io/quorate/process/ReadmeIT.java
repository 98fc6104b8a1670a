package io.quorate.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every example of the README's tour, typed into a shell in its order: the node must
 * answer what stands there. Needs {@code bash} and {@code curl}.
 */
@Tag(Scale.FULL)
class ReadmeIT {

	private static final String ADDRESS = "http://localhost:8080";

	@TempDir
	private static Path directory;

	private static NodeProcess node = NodeProcess.in(Path.of("unused"));

	@BeforeAll
	static void startNode() throws IOException {
		/* The examples ask for no time of their own, and the machine may be busy. */
		node = NodeProcess.in(directory).with("quorate.coordinator.timeout", "30s").start();
	}

	@AfterAll
	static void stopNode() throws InterruptedException {
		try (NodeProcess started = node) {
			assertThat(started.terminate()).isEqualTo(143);
		}
	}

	@TestFactory
	Stream<DynamicTest> examplesOfTheTourAreAnsweredAsTheySay() throws IOException {
		List<ConsoleExample> examples = ConsoleExample.ofReadme("A tour");
		assertThat(examples).hasSizeGreaterThan(10);
		return examples.stream().map((example) -> DynamicTest.dynamicTest(example.command(), () -> {
			assertThat(example.command()).startsWith("curl ").contains(ADDRESS);
			example.verify((text) -> text.replace(ADDRESS, "http://127.0.0.1:" + node.port()));
		}));
	}

}
