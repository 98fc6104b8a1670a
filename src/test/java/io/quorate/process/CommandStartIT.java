package io.quorate.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The start of {@code bin/quorate}, as its user has it. */
@Tag(Scale.FULL)
class CommandStartIT {

	private static final Duration LIMIT = Duration.ofMinutes(3);

	/* What starts a jar of Spring Boot is no server. */
	private static final Pattern OF_A_SERVER = Pattern
		.compile("org\\.springframework\\.(?!boot\\.loader\\.)|io\\.netty\\.|reactor\\.|ch\\.qos\\.logback\\.");

	@TempDir
	private Path home;

	@Test
	void aCommandLoadsNoClassOfAServer() throws Exception {
		Path loaded = this.home.resolve("loaded");
		assertThat(run("-Xlog:class+load:file=" + loaded, "get", "-e", "http://127.0.0.1:1", "key")).isEqualTo(5);
		assertThat(output()).isEqualTo("quorate: http://127.0.0.1:1: no connection\n");
		List<String> classes = Files.readAllLines(loaded);
		assertThat(classes).anyMatch((line) -> line.contains("io.quorate.command.data.GetCommand"))
			.noneMatch((line) -> OF_A_SERVER.matcher(line).find());
	}

	@Test
	void aCommandIsFoundThroughALink() throws Exception {
		Path link = Files.createSymbolicLink(this.home.resolve("q"), Path.of("bin", "quorate").toAbsolutePath());
		assertThat(start("", link.toString(), "--version")).isZero();
		assertThat(output()).matches("quorate \\S+ \\(Java \\S+\\)\\n");
	}

	private int run(String options, String... arguments) throws Exception {
		String[] command = new String[arguments.length + 1];
		command[0] = Path.of("bin", "quorate").toAbsolutePath().toString();
		System.arraycopy(arguments, 0, command, 1, arguments.length);
		return start(options, command);
	}

	private int start(String options, String... command) throws Exception {
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(this.home.resolve("output").toFile());
		builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
		builder.environment().put("QUORATE_JAR", System.getProperty("quorate.jar"));
		builder.environment().put("QUORATE_JAVA_OPTS", options);
		Process process = builder.start();
		try {
			assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
			return process.exitValue();
		}
		finally {
			process.destroyForcibly();
		}
	}

	private String output() throws Exception {
		return Files.readString(this.home.resolve("output"));
	}

}
