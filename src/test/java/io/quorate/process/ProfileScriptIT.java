package io.quorate.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * {@code tools/profile} on a node that runs, and what is left when it is ended. Needs
 * {@code bash}, {@code python3}, and once Maven with its repository, for the profiler.
 */
@Tag(Scale.FULL)
class ProfileScriptIT {

	private static final Duration LIMIT = Duration.ofMinutes(3);

	/* In the place of wrk2: says who it is, and sends nothing. */
	private static final String WRK = """
			#!/bin/sh
			[ "$1" = --help ] && echo --rate && exit
			echo $$ >"$(dirname "$0")/wrk.pid"
			exec sleep 600
			""";

	@TempDir
	private Path home;

	@Test
	void aRunningNodeIsProfiledAndGoesOn() throws Exception {
		Path out = this.home.resolve("profile");
		try (NodeProcess node = NodeProcess.in(this.home).withHeap("160m").start()) {
			String pid = Long.toString(node.pid());
			long begin = System.nanoTime();
			String summary = run(0, pid, "--seconds", "3", "--out", out.toString());
			assertThat(summary).contains("# Profile of " + pid, "## Processor", "| room | " + pid + " |",
					"## Allocation", "## Locks");
			String[] recording = Files.readString(out.resolve("recordings")).strip().split("\t", -1);
			assertThat(recording[0]).isEqualTo(pid);
			assertThat(Double.parseDouble(recording[1])).as("the seconds that it lasted, not those that were asked for")
				.isGreaterThan(3.0)
				.isLessThan((System.nanoTime() - begin) / 1e9);
			assertThat(out.resolve(pid + "-cpu.html")).content().contains("<h1>" + pid + ", cpu</h1>");
			assertThat(out.resolve(pid + "-cpu.collapsed")).isNotEmptyFile();
			assertThat(run(1, pid, "--out", out.toString())).contains("holds a profile already");
			assertThat(NodeClient.of(node).status()).isEqualTo(200);
			assertThat(run(0, pid, "--seconds", "1", "--event", "cpu", "--out", this.home.resolve("again").toString()))
				.as("the first profile has ended")
				.contains("## Processor")
				.doesNotContain("## Allocation");
		}
	}

	@Test
	void aProcessThatIsNoNodeIsNotProfiledAndGoesOn() throws Exception {
		Process other = new ProcessBuilder("sleep", "600").start();
		try {
			assertThat(run(1, Long.toString(other.pid()), "--seconds", "1", "--out", this.home.toString()))
				.contains("Process " + other.pid() + " cannot be profiled");
			assertThat(other.isAlive()).isTrue();
		}
		finally {
			other.destroy();
		}
	}

	@Test
	void aDirectoryThatTheProfilerWouldTakeForOptionsIsRefused() throws Exception {
		String out = this.home.resolve("cpu,alloc").toString();
		assertThat(run(1, Long.toString(ProcessHandle.current().pid()), "--out", out)).contains("no comma");
	}

	@Test
	void whenItIsEndedNeitherTheGeneratorNorANodeIsLeft() throws Exception {
		Path wrk = Files.writeString(this.home.resolve("wrk"), WRK);
		Files.setPosixFilePermissions(wrk, PosixFilePermissions.fromString("rwxr-xr-x"));
		int port = FreePorts.first(6);
		Process profile = start(Map.of("WRK2", wrk.toString(), "QUORATE_JAR", System.getProperty("quorate.jar")),
				"--load", "put", "--keys", "10", "--port", Integer.toString(port), "--internode-port",
				Integer.toString(port + 3), "--out", this.home.resolve("out").toString());
		try {
			Path pid = this.home.resolve("wrk.pid");
			await().atMost(LIMIT).until(() -> !profile.isAlive() || (Files.exists(pid) && Files.size(pid) > 0));
			assertThat(profile.isAlive()).as(output()).isTrue();
			List<ProcessHandle> all = profile.descendants().toList();
			assertThat(all).extracting(ProcessHandle::pid).contains(Long.valueOf(Files.readString(pid).strip()));
			assertThat(all.stream().filter(ProfileScriptIT::isNode)).hasSize(3);
			profile.destroy();
			assertThat(profile.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).as(output()).isTrue();
			assertThat(profile.exitValue()).isEqualTo(143);
			await().atMost(LIMIT).untilAsserted(() -> assertThat(all).noneMatch(ProcessHandle::isAlive));
		}
		finally {
			end(profile);
		}
	}

	private String run(int expected, String... arguments) throws IOException, InterruptedException {
		Process process = start(Map.of(), arguments);
		try {
			assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).as(output()).isTrue();
			assertThat(process.exitValue()).as(output()).isEqualTo(expected);
			return output();
		}
		finally {
			end(process);
		}
	}

	private Process start(Map<String, String> environment, String... arguments) throws IOException {
		List<String> command = new ArrayList<>(List.of(Path.of("tools", "profile").toString()));
		command.addAll(List.of(arguments));
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(this.home.resolve("output").toFile());
		builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
		builder.environment().put("QUORATE_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
		builder.environment().put("QUORATE_COORDINATOR_TIMEOUT", "30s");
		builder.environment().putAll(environment);
		return builder.start();
	}

	private String output() throws IOException {
		return Files.readString(this.home.resolve("output"));
	}

	private static void end(Process process) {
		process.descendants().forEach(ProcessHandle::destroyForcibly);
		process.destroyForcibly();
	}

	private static boolean isNode(ProcessHandle process) {
		return process.info().commandLine().orElse("").contains("--quorate.node.id=");
	}

}
