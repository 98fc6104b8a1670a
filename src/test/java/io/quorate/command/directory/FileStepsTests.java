package io.quorate.command.directory;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

import io.quorate.command.terminal.Output;
import io.quorate.command.terminal.Terminal.Screens;
import io.quorate.command.terminal.Terminal;
import io.quorate.storage.FileProgress;
import org.assertj.core.data.Index;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FileStepsTests {

	private final ByteArrayOutputStream err = new ByteArrayOutputStream();

	@Test
	void aStepOfFilesThatDoesNotEndHasFailed() {
		Terminal terminal = new Terminal(new ByteArrayInputStream(new byte[0]), new Output(this.err, false),
				new PrintStream(this.err, false, StandardCharsets.UTF_8), new Screens(false, false), Map.of(),
				Path.of(""));
		try (FileSteps steps = new FileSteps(terminal)) {
			steps.begin(FileProgress.Step.COPY, 2_000);
			steps.done(2_000);
			steps.end();
			steps.begin(FileProgress.Step.VERIFY, 2_000);
			steps.done(500);
		}
		assertThat(this.err.toString(StandardCharsets.UTF_8).lines().toList()).hasSize(2)
			.satisfies((line) -> assertThat(line).startsWith("copied 2.0 kB in ").endsWith("/s; failed: 0"),
					Index.atIndex(0))
			.satisfies((line) -> assertThat(line).startsWith("verified 500 B in ").endsWith("/s; failed: 1"),
					Index.atIndex(1));
	}

}
