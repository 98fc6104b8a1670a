package io.quorate.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pipes of the scripts. All scripts run with {@code pipefail}: a reader that ends
 * before its writer fails the pipe by SIGPIPE, now and then.
 */
@Tag(Scale.FULL)
class ScriptPipesTests {

	private static final Pattern EARLY_END = Pattern.compile("(?<!\\|)\\|\\s*(head\\b|grep\\s+(-\\w+\\s+)*-\\w*[qm])");

	@Test
	void noReaderOfAPipeEndsBeforeItsWriter() throws IOException {
		try (Stream<Path> files = Stream.of(".ci", "bin", "tools", "k8s/test", "src/model")
			.flatMap(ScriptPipesTests::files)) {
			List<Path> scripts = files.filter(ScriptPipesTests::isPipefail).toList();
			assertThat(scripts).hasSizeGreaterThan(20);
			for (Path script : scripts) {
				assertThat(Files.readString(script)).as(script.toString()).doesNotContainPattern(EARLY_END);
			}
		}
	}

	@Test
	void aReaderThatEndsEarlyIsRecognized() {
		assertThat(
				Stream.of("a | head -n 1", "a |grep -q b", "a | grep -F -m 1 b", "a | grep -qx b", "a |\n\thead -n 1"))
			.allMatch((line) -> EARLY_END.matcher(line).find());
		assertThat(Stream.of("grep -q b <<<a", "a | grep -c b", "a || grep -q b c", "a | sed -n 1p"))
			.noneMatch((line) -> EARLY_END.matcher(line).find());
	}

	private static Stream<Path> files(String directory) {
		try (Stream<Path> files = Files.list(Path.of(directory))) {
			return files.filter(Files::isRegularFile).toList().stream();
		}
		catch (IOException failure) {
			throw new AssertionError(directory, failure);
		}
	}

	private static boolean isPipefail(Path file) {
		try {
			return Files.readString(file).contains("pipefail");
		}
		catch (IOException failure) {
			throw new AssertionError(file.toString(), failure);
		}
	}

}
