package io.quorate.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import io.quorate.security.access.Token;
import io.quorate.security.jwt.TestIssuer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The search for secrets in the output of a test run, {@code .ci/secrets}. */
@Tag(Scale.FULL)
class SecretsScriptTests {

	private static final Token TOKEN = Token.generate("pay-ments");

	@TempDir
	private Path output;

	@Test
	void anOutputWithoutSecretsPasses() throws Exception {
		write("a.txt", "401 for qk_payments_short; sha256 0123abcd; Authorization: Bearer ...");
		write("b.txt", "commit 65e9b3a07f6ce1d0f7d8f6f8b0d9a0c4f3a2b1c0");
		assertThat(search()).isEqualTo("0 nothing secret in 2 files");
	}

	@Test
	void eachKindOfSecretIsFoundAndNotPrinted() throws Exception {
		requireFound("a token", TOKEN.text());
		requireFound("a SHA-256", TOKEN.sha256());
		requireFound("a JSON web token", TestIssuer.forged(1));
		requireFound("a private key", "-----BEGIN EC PRIVATE KEY-----");
		requireFound("a field Authorization", "Bearer aGVsbG8gd29ybGQgb2Ygc2VjcmV0cw");
	}

	private void requireFound(String kind, String secret) throws Exception {
		write("log.txt", "INFO before " + secret + " after");
		assertThat(search()).startsWith("1 ").contains(kind + " in: ").contains("log.txt").doesNotContain(secret);
	}

	@Test
	void noOutputIsNoGoodOutput() throws Exception {
		assertThat(search()).startsWith("2 ");
		write("empty.txt", "");
		assertThat(search()).startsWith("2 ");
		Files.delete(this.output.resolve("empty.txt"));
		Files.delete(this.output);
		assertThat(search()).startsWith("2 ");
	}

	private void write(String name, String text) throws IOException {
		Files.writeString(this.output.resolve(name), text);
	}

	/* The exit code and what is printed. */
	private String search() throws IOException, InterruptedException {
		Process process = new ProcessBuilder(Path.of(".ci", "secrets").toAbsolutePath().toString(),
				this.output.toString())
			.redirectErrorStream(true)
			.start();
		String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
		return process.exitValue() + " " + said.strip();
	}

}
