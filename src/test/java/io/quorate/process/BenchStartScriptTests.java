package io.quorate.process;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code tools/bench-start} measures nobody but the nodes that it starts. Needs
 * {@code bash} and {@code curl}.
 */
@Tag(Scale.FULL)
class BenchStartScriptTests {

	@Test
	@EnabledOnOs(OS.LINUX)
	void aPortOfSomebodyElseIsRefused(@TempDir Path directory) throws Exception {
		Path pieces = Files.createDirectory(directory.resolve("pieces"));
		Files.createFile(pieces.resolve("quorate.aot"));
		Path output = directory.resolve("output");
		try (ServerSocket other = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			String port = Integer.toString(other.getLocalPort());
			ProcessBuilder builder = new ProcessBuilder(Path.of("tools", "bench-start").toString())
				.redirectErrorStream(true)
				.redirectOutput(output.toFile());
			builder.environment()
				.putAll(Map.of("PORT", port, "PIECES", pieces.toString(), "BENCH_DIRECTORY", directory.toString(),
						"ROUNDS", "1", "VARIANTS", "jar=jar", "JAVA_HOME", System.getProperty("java.home")));
			Process process = builder.start();
			try {
				assertThat(process.waitFor(1, TimeUnit.MINUTES)).as(Files.readString(output)).isTrue();
				assertThat(process.exitValue()).as(Files.readString(output)).isEqualTo(1);
				assertThat(output).content().contains("Port " + port + " is in use");
			}
			finally {
				process.descendants().forEach(ProcessHandle::destroyForcibly);
				process.destroyForcibly();
			}
		}
	}

}
