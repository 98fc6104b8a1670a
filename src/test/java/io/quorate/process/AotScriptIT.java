package io.quorate.process;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * {@code quorate aot} and {@code quorate server} as their user has them: the cache is
 * used when it is that of the jar, and no cache keeps a node from its start. Needs
 * {@code bash}.
 */
@Tag(Scale.FULL)
class AotScriptIT {

	private static final Duration LIMIT = Duration.ofMinutes(5);

	/* What the JVM says of a class that it has from a cache. */
	private static final String FROM_CACHE = "io.quorate.QuorateApplication source: shared objects file";

	/* What the cache has, not how fast it makes a node. */
	private static final String SHORT = "--requests=1000";

	@TempDir
	private Path home;

	private @Nullable Process running;

	@AfterEach
	void endWhatIsLeft() {
		if (this.running != null) {
			this.running.descendants().forEach(ProcessHandle::destroyForcibly);
			this.running.destroyForcibly();
		}
	}

	@Test
	void aNodeStartsFromTheCacheOfItsJarAndWithoutOneThatDoesNotFit() throws Exception {
		Path jar = Files.copy(Path.of(System.getProperty("quorate.jar")), jar(), StandardCopyOption.COPY_ATTRIBUTES);
		Process aot = run("", "aot", SHORT);
		assertThat(aot.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
		assertThat(aot.exitValue()).as(output()).isZero();
		assertThat(output()).contains(this.home.resolve("quorate") + "/quorate.aot is made");
		try (Stream<Path> left = Files.list(this.home)) {
			assertThat(left).containsExactlyInAnyOrder(jar, this.home.resolve("quorate"), this.home.resolve("output"));
		}

		startAndStop("-XX:AOTMode=on");
		assertThat(output()).doesNotContain("[aot]", "made from");
		assertThat(loaded()).contains(FROM_CACHE);

		Path cache = this.home.resolve("quorate").resolve("quorate.aot");
		try (FileChannel file = FileChannel.open(cache, StandardOpenOption.WRITE)) {
			file.truncate(file.size() / 2);
		}
		startAndStop("");
		assertThat(output()).contains("The AOT cache has been truncated");
		assertThat(loaded()).doesNotContain(FROM_CACHE);

		Files.setLastModifiedTime(jar, FileTime.fromMillis(Files.getLastModifiedTime(jar).toMillis() + 2000));
		startAndStop("");
		assertThat(output()).contains("quorate was made from another build of " + jar).doesNotContain("[aot]");
		assertThat(loaded()).doesNotContain(FROM_CACHE);
	}

	@Test
	@Tag(Scale.ENDURANCE)
	void whenItIsEndedWhileTheJvmWritesTheCacheNoProcessIsLeft() throws Exception {
		Files.copy(Path.of(System.getProperty("quorate.jar")), jar());
		Process aot = run("", "aot", SHORT);
		List<ProcessHandle> all = new ArrayList<>();
		try {
			await().atMost(LIMIT).until(() -> !aot.isAlive() || isWritten(aot));
			assertThat(aot.isAlive()).as(output()).isTrue();
			aot.descendants().forEach(all::add);
			aot.destroy();
			assertThat(aot.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
			assertThat(aot.exitValue()).as(output()).isEqualTo(143);
			await().atMost(LIMIT).untilAsserted(() -> assertThat(all).noneMatch(ProcessHandle::isAlive));
			assertThat(this.home.resolve("quorate")).doesNotExist();
		}
		finally {
			all.forEach(ProcessHandle::destroyForcibly);
		}
	}

	/* A JVM below that of the trained node writes the cache. */
	private static boolean isWritten(Process aot) {
		return aot.descendants()
			.filter(AotScriptIT::isJava)
			.anyMatch((java) -> java.children().anyMatch(AotScriptIT::isJava));
	}

	private static boolean isJava(ProcessHandle process) {
		return process.info().command().orElse("").endsWith("/java");
	}

	@Test
	void aDirectoryOfSomebodyElseIsLeftAlone() throws Exception {
		Files.copy(Path.of(System.getProperty("quorate.jar")), jar());
		Path kept = Files.writeString(Files.createDirectory(this.home.resolve("quorate")).resolve("kept"), "mine");
		Process aot = run("", "aot", SHORT);
		assertThat(aot.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
		assertThat(aot.exitValue()).isEqualTo(1);
		assertThat(output()).contains("is there already, and is not what this makes");
		assertThat(kept).hasContent("mine");
	}

	private void startAndStop(String jvmOptions) throws IOException, InterruptedException {
		Process node = run(jvmOptions + " -Xlog:class+load:file=" + this.home.resolve("loaded"), "server",
				"--server.port=0", "--quorate.storage.directory=" + this.home.resolve("data"));
		await().atMost(LIMIT).until(() -> !node.isAlive() || output().contains("Started QuorateApplication"));
		assertThat(node.isAlive()).as(output()).isTrue();
		node.destroy();
		assertThat(node.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).as(output()).isTrue();
	}

	private Process run(String jvmOptions, String command, String... arguments) throws IOException {
		ProcessBuilder builder = new ProcessBuilder(Stream
			.concat(Stream.of(Path.of("bin", "quorate").toAbsolutePath().toString(), command), Stream.of(arguments))
			.toList());
		builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
		builder.environment().put("QUORATE_JAR", jar().toString());
		builder.environment().put("QUORATE_JAVA_OPTS", jvmOptions);
		Process process = builder.redirectErrorStream(true)
			.redirectOutput(this.home.resolve("output").toFile())
			.start();
		this.running = process;
		return process;
	}

	private Path jar() {
		return this.home.resolve("quorate.jar");
	}

	private String output() throws IOException {
		return Files.readString(this.home.resolve("output"));
	}

	private String loaded() throws IOException {
		return Files.readString(this.home.resolve("loaded"));
	}

}
