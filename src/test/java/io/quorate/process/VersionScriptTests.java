package io.quorate.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The versions that {@code tools/version} finds and sets, in copies of the files that
 * name one. Needs {@code bash}.
 */
@Tag(Scale.FULL)
@EnabledOnOs({ OS.LINUX, OS.MAC })
class VersionScriptTests {

	private static final Path SCRIPT = Path.of("tools", "version");

	private static final List<String> FILES = List.of("pom.xml", "README.md", "CHANGELOG.md", "compose.yaml",
			"clients/pom.xml", "clients/java/pom.xml", "clients/java/README.md", "clients/python/pyproject.toml",
			"clients/spring-boot-starter/pom.xml", "clients/spring-boot-starter/README.md", "examples/spring/pom.xml",
			"src/docs/spring.md", "k8s/chart/Chart.yaml", "k8s/chart/README.md", "k8s/chart/ci/example-values.yaml",
			"k8s/components/local-image/kustomization.yaml", "k8s/example/kustomization.yaml",
			"src/main/resources/io/quorate/api/openapi.yaml");

	@TempDir
	private Path copy;

	private record Run(int exitCode, String output) {

		String version() {
			assertThat(this.exitCode).as(this.output).isZero();
			return this.output.strip();
		}

	}

	private Run run(Path root, String... arguments) throws Exception {
		ProcessBuilder builder = new ProcessBuilder(root.resolve(SCRIPT).toAbsolutePath().toString());
		builder.command().addAll(List.of(arguments));
		Path output = this.copy.resolve("output");
		Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
		try {
			assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
		}
		finally {
			process.destroyForcibly();
		}
		return new Run(process.exitValue(), Files.readString(output));
	}

	private Path sources() throws IOException {
		Path root = this.copy.resolve("sources");
		for (String file : FILES) {
			copy(root, Path.of(file));
		}
		copy(root, SCRIPT);
		assertThat(root.resolve(SCRIPT).toFile().setExecutable(true)).isTrue();
		return root;
	}

	private static void copy(Path root, Path file) throws IOException {
		Path to = root.resolve(file);
		Files.createDirectories(to.resolveSibling("."));
		Files.copy(file, to);
	}

	private static List<String> naming(Path root, String text) {
		return FILES.stream().filter((file) -> read(root.resolve(file)).contains(text)).toList();
	}

	private static String read(Path file) {
		try {
			return Files.readString(file, StandardCharsets.UTF_8);
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
	}

	@Test
	void theFilesOfTheSourcesNameOneVersion() throws Exception {
		assertThat(run(Path.of(""))).extracting(Run::version).asString().matches("\\d+\\.\\d+\\.\\d+-SNAPSHOT");
	}

	@Test
	void aReleaseHasItsVersionInAllFiles() throws Exception {
		Path root = sources();
		String snapshot = run(root).version();
		String release = snapshot.replace("-SNAPSHOT", "");
		assertThat(run(root, release).version()).isEmpty();
		assertThat(naming(root, snapshot)).isEmpty();
		assertThat(naming(root, "(not released)")).isEmpty();
		assertThat(naming(root, "released yet")).isEmpty();
		assertThat(naming(root, "dev0\"")).isEmpty();
		assertThat(run(root).version()).isEqualTo(release);
		assertThat(read(root.resolve("CHANGELOG.md"))).contains("\n## " + release + "\n");
	}

	@Test
	void theNextVersionHasAChapterBeforeThatOfTheRelease() throws Exception {
		Path root = sources();
		String release = run(root).version().replace("-SNAPSHOT", "");
		run(root, "77.8.9-SNAPSHOT").version();
		assertThat(naming(root, release)).containsExactly("CHANGELOG.md");
		assertThat(read(root.resolve("CHANGELOG.md"))).contains("\n## 77.8.9 (not released)\n\n## " + release + "\n");
		assertThat(read(root.resolve("clients/python/pyproject.toml"))).contains("version = \"77.8.9.dev0\"");
	}

	@Test
	void aFileWithAnotherVersionIsNamed() throws Exception {
		Path root = sources();
		Path chart = root.resolve("k8s/chart/Chart.yaml");
		Files.writeString(chart, read(chart).replace(run(root).version(), "9.9.9"));
		Run run = run(root);
		assertThat(run.exitCode()).isEqualTo(1);
		assertThat(run.output()).contains("k8s/chart/Chart.yaml does not name");
	}

	@ParameterizedTest
	@CsvSource({ "1.x, is no version", "v1.2.3, is no version", "98.0.0, which cannot become 98.0.0",
			"--set, there is no option" })
	void wrongVersionsChangeNothing(String version, String message) throws Exception {
		Path root = sources();
		Run run = run(root, version);
		assertThat(run.exitCode()).isEqualTo(1);
		assertThat(run.output()).contains(message);
		assertThat(FILES).allSatisfy((file) -> assertThat(root.resolve(file)).hasSameTextualContentAs(Path.of(file)));
	}

}
