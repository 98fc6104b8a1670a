package io.quorate.process;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code tools/bench-batch}, {@code tools/bench --cold} and {@code tools/bench-move}
 * measure the nodes that they start, print all of their tables, and leave nothing behind.
 * Need {@code bash} and {@code curl}.
 */
@Tag(Scale.FULL)
@EnabledOnOs(OS.LINUX)
class BenchScriptsIT {

	private static final List<String> BATCH = List.of("tools/bench-batch");

	private static final List<String> COLD = List.of("tools/bench", "--cold");

	private static final List<String> MOVE = List.of("tools/bench-move");

	@Test
	void allTablesOfBatchesArePrinted(@TempDir Path directory) throws Exception {
		int port = FreePorts.first(1);
		String output = run(BATCH, directory, 0, port);
		assertThat(output).contains("- processor: ", "## Puts a second", "## 60 puts", "| 1 | nothing | ",
				"| 1 | batches | ", "| puts | ", "| gets | ");
		assertThat(directory.resolve("data")).isEmptyDirectory();
	}

	@Test
	void everyWindowOfAColdClusterIsPrinted(@TempDir Path directory) throws Exception {
		int port = FreePorts.first(1);
		String output = run(COLD, directory, 0, port);
		assertThat(output)
			.contains("- processor: ", "## plain:jar,-Xshare:auto, round 1", "Start to ready: ", "| 0-1 | ", "| 1-2 | ",
					"## Median of 1 rounds", "| plain:jar,-Xshare:auto | ")
			.containsPattern("\\| [01]-[12] \\| [1-9][0-9]* \\| [0-9]+ \\| ");
		assertThat(directory.resolve("data")).isEmptyDirectory();
	}

	@Test
	void everyPhaseOfAClusterThatGrowsIsPrinted(@TempDir Path directory) throws Exception {
		int port = FreePorts.first(2);
		String output = run(MOVE, directory, 0, port);
		assertThat(output).contains("- processor: ", "500 keys of 100 bytes were written", "| 1 | before | ",
				"| 1 | the node starts | ", "| 2 | keys move | ", "| 2 | after | ", "| in the order of the members |")
			.containsPattern("keys move \\| [0-9.]+ \\| [0-9]+ \\| [0-9]+ \\|(?: [0-9.]+ \\|){4} [0-9]+ \\|")
			.containsPattern("\n\\| 2 \\| [0-9]+ \\| [0-9]+ \\| [0-9]+ \\| 1[.][0-9]+ \\| [0-9]+ [0-9]+ \\|");
		assertThat(directory.resolve("data")).isEmptyDirectory();
	}

	@Test
	void aPortOfAnotherProcessIsRefused(@TempDir Path directory) throws Exception {
		try (ServerSocket other = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			int port = other.getLocalPort();
			for (List<String> script : List.of(BATCH, COLD, MOVE)) {
				assertThat(run(script, directory, 1, port)).contains("Port " + port);
			}
		}
	}

	private static String run(List<String> command, Path directory, int status, int port) throws Exception {
		Path output = directory.resolve("output");
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
		Map<String, String> environment = new HashMap<>(Map.of("NODES", "1", "ROUNDS", "1", "SECONDS_EACH", "1",
				"ITEMS", "10", "FIXED", "60", "RATE", "50", "PROBE_RATE", "20"));
		environment
			.putAll(Map.of("SECONDS_ALL", "2", "WINDOW", "1", "REPLICAS", "1/1", "VARIANTS", "plain=jar,-Xshare:auto"));
		environment.putAll(Map.of("PORT", Integer.toString(port), "INTERNODE_PORT",
				Integer.toString(FreePorts.first(2)), "BENCH_DIRECTORY", directory.resolve("data").toString()));
		environment.putAll(
				Map.of("FROM", "1", "TO", "2", "ENTRIES", "500", "VALUE_BYTES", "100", "SETTLE", "1", "WARM_UP", "1"));
		environment.putAll(BuiltNode.environment("-Xmx256m -XX:TieredStopAtLevel=1"));
		builder.environment().putAll(environment);
		Process process = builder.start();
		try {
			assertThat(process.waitFor(5, TimeUnit.MINUTES)).as(Files.readString(output)).isTrue();
			assertThat(process.exitValue()).as(Files.readString(output)).isEqualTo(status);
			return Files.readString(output);
		}
		finally {
			process.descendants().forEach(ProcessHandle::destroyForcibly);
			process.destroyForcibly();
		}
	}

}
