package io.quorate.command.setup;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quorate.command.CommandRun;
import io.quorate.command.terminal.ExitCode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/** The directories that {@code init} writes, for nodes of names and of addresses. */
class InitCommandTests {

	private static final String SERVER_USE = "1.3.6.1.5.5.7.3.1";

	private static final String CLIENT_USE = "1.3.6.1.5.5.7.3.2";

	private static final String NAMED = "n0.example.org";

	@TempDir
	private static Path once;

	private static CommandRun made = CommandRun.of("--version");

	@TempDir
	private Path home;

	private Path cluster = Path.of("");

	/* Keys and certificates take most of the time. */
	@BeforeAll
	static void makeCluster() {
		made = init("--hosts", NAMED + ",six=[fd00::1]", "--days", "30", "--out", once.resolve("cluster").toString());
	}

	@BeforeEach
	void copyCluster() throws IOException {
		this.cluster = this.home.resolve("cluster");
		FileSystemUtils.copyRecursively(once.resolve("cluster"), this.cluster);
	}

	private static CommandRun init(String... arguments) {
		return CommandRun.of(Stream.concat(Stream.of("init"), Stream.of(arguments)).toArray(String[]::new));
	}

	private CommandRun change(String... arguments) {
		return init(Stream.concat(Stream.of(arguments), Stream.of("--out", this.cluster.toString()))
			.toArray(String[]::new));
	}

	@Test
	void aNodeHasCertificatesOfItsHostAlone() throws Exception {
		requireCertificates(NAMED, NAMED);
		requireCertificates("six", "fd00:0:0:0:0:0:0:1");
	}

	private void requireCertificates(String id, String host) throws Exception {
		X509Certificate node = certificate(id + "/node.crt");
		X509Certificate server = certificate(id + "/server.crt");
		node.verify(certificate("operator/nodes-ca.crt").getPublicKey());
		server.verify(certificate("operator/clients-ca.crt").getPublicKey());
		assertThat(names(node)).containsExactly(host);
		assertThat(names(server)).containsExactly(host, "localhost");
		assertThat(node.getExtendedKeyUsage()).containsExactly(SERVER_USE, CLIENT_USE);
		assertThat(server.getExtendedKeyUsage()).containsExactly(SERVER_USE);
		assertThat(List.of(node.getBasicConstraints(), server.getBasicConstraints())).containsOnly(-1);
		assertThat(Duration.between(node.getNotBefore().toInstant(), node.getNotAfter().toInstant()))
			.isEqualTo(Duration.ofDays(30));
	}

	private static List<String> names(X509Certificate certificate) throws Exception {
		return certificate.getSubjectAlternativeNames().stream().map((name) -> (String) name.get(1)).toList();
	}

	private X509Certificate certificate(String file) throws Exception {
		try (InputStream from = Files.newInputStream(this.cluster.resolve(file))) {
			return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(from);
		}
	}

	@Test
	void theKeysOfAuthoritiesAndTheTokensStayWithTheOperator() throws IOException {
		assertThat(files(once.resolve("cluster"))).containsExactlyInAnyOrderElementsOf(Stream.concat(
				Stream.of(NAMED, "six")
					.flatMap((node) -> Stream
						.of("access.yml", "application.yml", "clients-ca.crt", "node.crt", "node.key", "nodes-ca.crt",
								"quorate.service", "server.crt", "server.key")
						.map((file) -> node + "/" + file)),
				Stream
					.of("access.yml", "app.token", "client.properties", "clients-ca.crt", "clients-ca.key", "nodes",
							"nodes-ca.crt", "nodes-ca.key", "ops.token", "prometheus.token")
					.map((file) -> "operator/" + file))
			.toList());
	}

	@Test
	void onlyTheOwnerReadsTheFiles() throws IOException {
		try (Stream<Path> all = Files.walk(once.resolve("cluster"))) {
			for (Path file : all.toList()) {
				assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).as(file.toString())
					.isEqualTo(Files.isDirectory(file) ? "rwx------" : "rw-------");
			}
		}
	}

	private static Set<String> files(Path directory) throws IOException {
		try (Stream<Path> all = Files.walk(directory)) {
			return all.filter(Files::isRegularFile)
				.map((file) -> directory.relativize(file).toString())
				.collect(Collectors.toCollection(TreeSet::new));
		}
	}

	@Test
	void aNodeIsConfiguredWithAllMembers() throws IOException {
		assertThat(text(NAMED + "/application.yml"))
			.contains("node.id: \"n0.example.org\"",
					"members: \"n0.example.org@n0.example.org:7100,six@[fd00::1]:7100\"", "replication-factor: 2",
					"address: \"0.0.0.0\"", "port: 8080", "security.access: access.yml")
			.doesNotContain("join:", "seeds:");
		assertThat(text("six/application.yml")).contains("node.id: \"six\"", "address: \"fd00::1\"");
	}

	@Test
	void theUnitGivesANodeTheTimeToStopAndNoOtherRights() throws IOException {
		assertThat(text("six/quorate.service").lines()).contains("WorkingDirectory=/etc/quorate", "DynamicUser=yes",
				"ExecStartPre=+/bin/chown -R --reference=/var/lib/quorate/. /etc/quorate",
				"ExecStart=/usr/bin/env quorate server", "StateDirectory=quorate", "TimeoutStopSec=120",
				"SuccessExitStatus=143", "Restart=on-failure", "LimitNOFILE=65536", "NoNewPrivileges=true",
				"PrivateTmp=true", "ProtectHome=true", "ProtectSystem=strict");
	}

	@Test
	void theAccessFileHasTheHashesOfTheTokens() throws Exception {
		String access = text("operator/access.yml");
		assertThat(text("six/access.yml")).isEqualTo(access);
		for (String principal : List.of("app", "ops", "prometheus")) {
			byte[] token = text("operator/" + principal + ".token").strip().getBytes(StandardCharsets.US_ASCII);
			String hash = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(token));
			assertThat(access).contains("  " + principal + ": {tokens: [{sha256: \"" + hash + "\"}], ");
		}
	}

	@Test
	void theOutputSaysTheNextSteps() throws IOException {
		assertThat(made.exitCode()).as(made.err()).isZero();
		assertThat(made.out()).contains("cluster/six: copy it to fd00::1 as /etc/quorate; certificates for 30 days",
				"QUORATE_CONFIG=" + once.resolve("cluster/operator/client.properties"));
		assertThat(text("operator/client.properties")).contains(
				"endpoints = https://n0.example.org:8080,https://[fd00::1]:8080\n", "token-file = ops.token\n",
				"ca = clients-ca.crt\n");
	}

	private String text(String file) throws IOException {
		return Files.readString(this.cluster.resolve(file));
	}

	@Test
	void aReplacedNodeStaysInTheListOfFirstMembersAlone() throws Exception {
		CommandRun run = change("--replace", "six", "--hosts", "10.0.0.4");
		assertThat(run.exitCode()).as(run.err()).isZero();
		assertThat(run.out()).contains("quorate cluster replace six 10.0.0.4@10.0.0.4:7100 --dead");
		assertThat(text("10.0.0.4/application.yml")).contains("six@[fd00::1]:7100\"",
				"join: \"10.0.0.4@10.0.0.4:7100\"", "replication-factor: 2");
		assertThat(text("10.0.0.4/access.yml")).isEqualTo(text("operator/access.yml"));
		assertThat(text("operator/client.properties"))
			.contains("endpoints = https://n0.example.org:8080,https://10.0.0.4:8080\n");
		certificate("10.0.0.4/node.crt").verify(certificate("six/nodes-ca.crt").getPublicKey());
		assertThat(change("--add", "--hosts", "six=fd00::1").err()).contains("six is there");
		assertThat(change("--replace", "six", "--hosts", "n9").err()).contains("one of n0.example.org, 10.0.0.4,");
	}

	@Test
	void aDirectoryThatIsMovedAwayIsMadeAnew() throws Exception {
		Path old = Files.move(this.cluster.resolve(NAMED), this.home.resolve("old"));
		CommandRun run = change("--add", "--hosts", NAMED);
		assertThat(run.exitCode()).as(run.err()).isZero();
		assertThat(run.out()).doesNotContain("quorate cluster");
		assertThat(text(NAMED + "/application.yml")).isEqualTo(Files.readString(old.resolve("application.yml")));
		assertThat(text(NAMED + "/node.crt")).isNotEqualTo(Files.readString(old.resolve("node.crt")));
	}

	@Test
	void aWrongKeyOfAnAuthorityChangesNothing() throws IOException {
		for (String key : List.of("no key", text("operator/nodes-ca.key"))) {
			Files.writeString(this.cluster.resolve("operator/clients-ca.key"), key);
			Map<String, String> before = contents();
			CommandRun run = change("--add", "--hosts", "n3");
			assertThat(run.exitCode()).isEqualTo(ExitCode.MISUSED);
			assertThat(run.err()).containsAnyOf("clients-ca.key has no PRIVATE KEY",
					"clients-ca.key and clients-ca.crt do not belong together");
			assertThat(contents()).isEqualTo(before);
			assertThat(this.cluster).isDirectoryNotContaining("glob:**.quorate-init-*");
		}
	}

	private Map<String, String> contents() throws IOException {
		Map<String, String> contents = new TreeMap<>();
		for (String file : files(this.cluster)) {
			contents.put(file, text(file));
		}
		return contents;
	}

	@Test
	void aDirectoryInUseIsRefused() throws IOException {
		Map<String, String> before = contents();
		CommandRun run = change("--hosts", "n3");
		assertThat(run.exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(run.err()).contains("is not empty", "--add or --replace").hasLineCount(1);
		assertThat(contents()).isEqualTo(before);
		assertThatCode(() -> FileSystemUtils.deleteRecursively(this.cluster)).doesNotThrowAnyException();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "--out c|--hosts", "--hosts a|--out", "--hosts a:8080 --out c|without a port",
			"--hosts https://a --out c|is no host", "--hosts 10.0.0.256 --out c|is no host",
			"--hosts fe80::1%eth0 --out c|is no host", "--hosts ::1::2 --out c|is no host",
			"--hosts a_b --out c|is no host", "--hosts =a --out c|is no id", "--hosts ..=a --out c|is no id",
			"--hosts operator --out c|not 'operator'", "--hosts a,,b --out c|is no host",
			"--hosts a,a --out c|two nodes have one id", "--hosts a --out c --port 0|--port is a number",
			"--hosts a --out c --internode-port 65536|--internode-port is a number",
			"--hosts a --out c --days 3651|--days is a number", "--hosts a=h,b=h --out c --port 65535|no port left",
			"--hosts a --out none --add|there is no", "--hosts a --out none --replace b|there is no" })
	void wrongArgumentsAreExplained(String line, String message) {
		String[] words = line.split(" ", -1);
		for (int i = 0; i < words.length; i++) {
			words[i] = words[i].matches("c|none") ? this.home.resolve(words[i]).toString() : words[i];
		}
		CommandRun run = init(words);
		assertThat(run.exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(run.err()).startsWith("quorate: ").contains(message).hasLineCount(1);
		assertThat(this.home.resolve("c")).doesNotExist();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "six --hosts six=fd00::1|six is there", "six --hosts n3 --add|without --add",
			"six --hosts n3,n4|with one host", "n7 --hosts n3|one of n0.example.org" })
	void aReplacementOfAnotherKindIsExplained(String line, String message) {
		String[] words = ("--replace " + line).split(" ", -1);
		CommandRun run = change(words);
		assertThat(run.exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(run.err()).startsWith("quorate: ").contains(message).hasLineCount(1);
	}

}
