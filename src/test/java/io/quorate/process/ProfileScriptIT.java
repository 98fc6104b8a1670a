package io.quorate.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code bin/profile} on a node that runs. Needs {@code bash}, {@code python3}, and once
 * Maven with its repository, for the profiler.
 */
class ProfileScriptIT {

	@Test
	void aRunningNodeIsProfiledAndGoesOn(@TempDir Path home) throws Exception {
		Path out = home.resolve("profile");
		try (NodeProcess node = NodeProcess.in(home).withHeap("160m").start()) {
			String pid = Long.toString(node.pid());
			String summary = run(0, pid, "--seconds", "3", "--out", out.toString());
			assertThat(summary).contains("# Profile of " + pid, "## Processor", "| room | " + pid + " |",
					"## Allocation", "## Locks");
			assertThat(out.resolve(pid + "-cpu.html")).content().contains("<h1>" + pid + ", cpu</h1>");
			assertThat(out.resolve(pid + "-cpu.collapsed")).isNotEmptyFile();
			assertThat(run(1, pid, "--out", out.toString())).contains("holds a profile already");
			assertThat(NodeClient.of(node).status()).isEqualTo(200);
			assertThat(run(0, pid, "--seconds", "1", "--event", "cpu", "--out", home.resolve("again").toString()))
				.as("the first profile has ended")
				.contains("## Processor")
				.doesNotContain("## Allocation");
		}
	}

	@Test
	void whatIsNoNodeIsRefused(@TempDir Path home) throws Exception {
		Process other = new ProcessBuilder("sleep", "60").start();
		try {
			assertThat(run(1, Long.toString(other.pid()), "--seconds", "1", "--out", home.toString()))
				.contains("Process " + other.pid() + " cannot be profiled");
		}
		finally {
			other.destroy();
		}
	}

	private static String run(int expected, String... arguments) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(List.of(Path.of("bin", "profile").toString()));
		command.addAll(List.of(arguments));
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
		builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
		Process process = builder.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(output).isEqualTo(expected);
		return output;
	}

}
