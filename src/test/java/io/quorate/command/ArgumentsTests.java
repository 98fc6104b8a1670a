package io.quorate.command;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Arguments as the JVM gives them, beside the bytes that the user wrote. */
class ArgumentsTests {

	private static final byte[] NO_TEXT = { 'a', (byte) 0xFF };

	private static final byte[] UMLAUT = "ä".getBytes(StandardCharsets.UTF_8);

	private static final byte[] REPLACEMENT = "a\uFFFD".getBytes(StandardCharsets.UTF_8);

	@TempDir
	Path home;

	@Test
	void bytesThatAreNoTextAreRefused() throws IOException {
		assertThat(fault(List.of("put", "a\uFFFD", "v"), ascii("put"), NO_TEXT, ascii("v")))
			.isEqualTo("argument 2 is not UTF-8");
		assertThat(fault(List.of("put", "k", "a\uFFFD"), ascii("put"), ascii("k"), NO_TEXT))
			.isEqualTo("argument 3 is not UTF-8");
	}

	@Test
	void charactersThatTheLocaleCannotSayAreRefused() throws IOException {
		assertThat(fault(List.of("get", "\uFFFD\uFFFD"), ascii("get"), UMLAUT)).contains("set LC_ALL");
	}

	@Test
	void aReplacementCharacterOfTheUserIsTaken() throws IOException {
		assertThat(fault(List.of("put", "a\uFFFD", ""), ascii("put"), REPLACEMENT, ascii(""))).isNull();
	}

	@Test
	void withoutTheCommandLineAReplacementCharacterIsRefused() {
		Path none = this.home.resolve("none");
		assertThat(Arguments.fault(List.of("get", "a\uFFFD"), none)).contains("U+FFFD, or is not UTF-8");
		assertThat(Arguments.fault(List.of("get", "ä"), none)).isNull();
	}

	private @Nullable String fault(List<String> arguments, byte[]... written) throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		line.writeBytes(ascii("java\0-jar\0quorate.jar\0"));
		for (byte[] each : written) {
			line.writeBytes(each);
			line.write(0);
		}
		return Arguments.fault(arguments, Files.write(this.home.resolve("cmdline"), line.toByteArray()));
	}

	private static byte[] ascii(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

}
