package io.quorate.command.access;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.quorate.Authority;
import io.quorate.GuardedNode;
import io.quorate.command.CommandRun;
import io.quorate.security.access.Token;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The subcommand {@code backup} against the guarded node. */
class BackupAccessTests {

	private static Path stranger;

	@TempDir
	private static Path home;

	private String printed = "";

	@BeforeAll
	static void start() throws Exception {
		stranger = new Authority(home, "stranger").certificate();
	}

	@AfterEach
	void noTokenIsPrinted() {
		assertThat(text()).doesNotContain(GuardedNode.OPS.text(), GuardedNode.READER.text());
	}

	@Test
	void anAdministratorTakesABackup() throws IOException {
		assertThat(backup(Map.of(), "--token-file", file(GuardedNode.OPS.text() + "\n"), "--ca=" + authority(),
				GuardedNode.url("127.0.0.1")))
			.as(text())
			.isZero();
		assertThat(text()).contains("\"sizeBytes\"").doesNotContain("warning");
	}

	@Test
	void theEnvironmentStandsForTheOptions() throws IOException {
		Map<String, String> environment = Map.of("QUORATE_TOKEN_FILE", file(GuardedNode.OPS.text()), "QUORATE_CA",
				authority());
		assertThat(backup(environment, GuardedNode.url("127.0.0.1"))).as(text()).isZero();
		assertThat(backup(environment, "--token-file=" + file(GuardedNode.READER.text()), GuardedNode.url("127.0.0.1")))
			.isEqualTo(1);
	}

	@Test
	void aTokenWithoutTheRightIsSaidInWords() throws IOException {
		assertThat(backup(Map.of(), "--token-file", file(GuardedNode.READER.text()), "--ca", authority(),
				GuardedNode.url("127.0.0.1")))
			.isEqualTo(1);
		assertThat(text()).contains(": 403 Forbidden: `reader` may not administer this node");
	}

	@Test
	void anUnknownAndAMissingTokenAreSaidInWords() throws IOException {
		String unknown = Token.generate("ops").text();
		assertThat(backup(Map.of(), "--token-file", file(unknown), "--ca", authority(), GuardedNode.url("127.0.0.1")))
			.isEqualTo(1);
		assertThat(text()).contains(": 401: the node does not accept the token").doesNotContain(unknown);
		assertThat(backup(Map.of(), "--ca", authority(), GuardedNode.url("127.0.0.1"))).isEqualTo(1);
		assertThat(text()).contains(": 401: the node asks for a token, --token-file names the file with it");
	}

	@Test
	void aNodeOfAnotherAuthorityGetsNoToken() throws IOException {
		for (String[] trust : new String[][] { {}, { "--ca", stranger.toString() } }) {
			List<String> words = new ArrayList<>(List.of(trust));
			words.addAll(List.of("--token-file", file(GuardedNode.OPS.text()), GuardedNode.url("127.0.0.1")));
			assertThat(backup(Map.of(), words.toArray(String[]::new))).isEqualTo(1);
			assertThat(text()).contains("no secure connection: ", "--ca names the authority to trust");
		}
	}

	@Test
	void aNodeWithAnotherNameGetsNoToken() throws IOException {
		assertThat(backup(Map.of(), "--token-file", file(GuardedNode.OPS.text()), "--ca", authority(),
				GuardedNode.url("localhost")))
			.isEqualTo(1);
		assertThat(text()).contains("no secure connection: ", "localhost");
	}

	@Test
	void filesThatCannotBeUsedAreNamedBeforeAnythingIsSent() throws IOException {
		String absent = home.resolve("absent").toString();
		for (String content : List.of("", "two\nlines", GuardedNode.OPS.text() + "\r\nX-Other: 1")) {
			assertThat(backup(Map.of(), "--token-file", file(content), GuardedNode.url("127.0.0.1"))).isEqualTo(2);
			assertThat(text()).contains("must have one token and nothing else");
		}
		for (String option : List.of("--token-file", "--ca")) {
			assertThat(backup(Map.of(), option, absent, GuardedNode.url("127.0.0.1"))).isEqualTo(2);
			assertThat(text()).contains("cannot be read: ", absent);
		}
		assertThat(backup(Map.of(), "--ca", file("no certificate"), GuardedNode.url("127.0.0.1"))).isEqualTo(2);
		assertThat(text()).contains("cannot be used: ");
	}

	@Test
	void wrongArgumentsAreExplained() {
		assertThat(backup(Map.of(), "--tokenfile=x")).isEqualTo(2);
		assertThat(text())
			.isEqualToIgnoringNewLines("quorate: Unknown option: '--tokenfile=x': did you mean '--token-file'?");
		for (String word : List.of("--token-file", "--ca", "ftp://127.0.0.1", "http:", "http://a b",
				"localhost:8080")) {
			assertThat(backup(Map.of(), word)).as(word).isEqualTo(2);
			assertThat(text()).startsWith("quorate: ").contains("'quorate backup --help' has the usage");
		}
	}

	@Test
	void aTokenThatOthersCanReadIsWarnedOf() throws IOException {
		NodeAccess access = NodeAccess.of(file(GuardedNode.OPS.text()), null);
		for (String safe : List.of("http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:8080",
				"https://n0.example.org")) {
			assertThat(access.isExposedTo(URI.create(safe))).as(safe).isFalse();
		}
		for (String exposed : List.of("http://10.0.0.1:8080", "http://n0.example.org",
				"http://localhost.example.org")) {
			assertThat(access.isExposedTo(URI.create(exposed))).as(exposed).isTrue();
		}
		assertThat(NodeAccess.of(null, null).isExposedTo(URI.create("http://10.0.0.1:8080"))).isFalse();
		backup(Map.of(), "--token-file", file(GuardedNode.OPS.text()), "http://0.0.0.0:1");
		assertThat(text()).contains("http://0.0.0.0:1: warning: the token is sent without encryption");
	}

	private int backup(Map<String, String> environment, String... arguments) {
		List<String> line = new ArrayList<>(List.of("backup"));
		line.addAll(List.of(arguments));
		CommandRun run = CommandRun.of(environment, "", line.toArray(String[]::new));
		this.printed = run.out() + run.err();
		return run.exitCode();
	}

	private static String file(String content) throws IOException {
		return Files.writeString(Files.createTempFile(home, "file", ""), content).toString();
	}

	private static String authority() {
		return GuardedNode.authority().certificate().toString();
	}

	private String text() {
		return this.printed;
	}

}
