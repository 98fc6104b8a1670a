package io.quorate.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The refusals of {@code tools/image}, before it makes anything: no image has a runtime
 * or a C library of another platform than its own. Needs {@code bash}. The image itself
 * is made and run by {@code .ci/image}.
 */
@Tag(Scale.FULL)
@EnabledOnOs(OS.LINUX)
class ImageScriptTests {

	/* Of ELF: the byte at which the platform of a program stands. */
	private static final int PLATFORM_AT = 18;

	private static final byte AMD64 = 0x3e;

	private static final byte ARM64 = (byte) 0xb7;

	private static final boolean IS_ARM = System.getProperty("os.arch").equals("aarch64");

	private static final String OTHER = IS_ARM ? "linux/amd64" : "linux/arm64";

	@TempDir
	private Path directory;

	private Path jdk;

	@BeforeEach
	void placeJdk() throws IOException {
		this.jdk = jdk("jdk", IS_ARM ? AMD64 : ARM64, "25.0.3");
	}

	private Path jdk(String name, byte platform, String version) throws IOException {
		Path home = Files.createDirectories(this.directory.resolve(name));
		byte[] program = new byte[PLATFORM_AT + 2];
		program[PLATFORM_AT] = platform;
		Files.write(Files.createDirectories(home.resolve("bin")).resolve("java"), program);
		Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
		return home;
	}

	@ParameterizedTest
	@CsvSource({ "--platform linux/arm, 'The platform must be linux/amd64 or linux/arm64'", "--platform, needs a value",
			"--name '' --base x, needs a value", "--base x --libraries /, is for another platform",
			"--platfrom linux/arm64, tools/image --platform" })
	void wrongArgumentsAreRefused(String arguments, String message) throws Exception {
		requireRefusal(message, arguments.replace("''", "").split(" ", -1));
	}

	@Test
	void anotherPlatformNeedsAJdkForIt() throws Exception {
		requireRefusal("needs a Java runtime for it", "--platform", OTHER);
		Path own = jdk("own", IS_ARM ? ARM64 : AMD64, "25.0.3");
		requireRefusal("is not for " + OTHER, "--platform", OTHER, "--base", "x", "--jdk", own.toString());
		requireRefusal("is not for linux/" + (IS_ARM ? "arm64" : "amd64"), "--jdk", this.jdk.toString());
		Path old = jdk("old", IS_ARM ? AMD64 : ARM64, "21.0.9");
		requireRefusal("has the version 21", "--platform", OTHER, "--base", "x", "--jdk", old.toString());
		requireRefusal("it is no JDK", "--platform", OTHER, "--base", "x", "--jdk", this.directory.toString());
	}

	@Test
	void anotherPlatformNeedsOneCLibrary() throws Exception {
		requireRefusal("needs the C library for it", "--platform", OTHER, "--jdk", this.jdk.toString());
		requireRefusal("does not go with --base", "--platform", OTHER, "--jdk", this.jdk.toString(), "--base", "x",
				"--libraries", "/");
	}

	private void requireRefusal(String message, String... arguments) throws Exception {
		Path output = this.directory.resolve("output");
		List<String> command = new ArrayList<>(List.of(Path.of("tools", "image").toString()));
		command.addAll(Arrays.asList(arguments));
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
		builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
		Process process = builder.start();
		try {
			assertThat(process.waitFor(1, TimeUnit.MINUTES)).as(Files.readString(output)).isTrue();
			assertThat(process.exitValue()).as(Files.readString(output)).isEqualTo(1);
			assertThat(output).content().contains(message);
		}
		finally {
			process.descendants().forEach(ProcessHandle::destroyForcibly);
			process.destroyForcibly();
		}
	}

}
