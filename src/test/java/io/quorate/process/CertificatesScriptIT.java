package io.quorate.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SignatureException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The certificates that {@code bin/certificates} makes. */
@Tag(Scale.FULL)
class CertificatesScriptIT {

	private static final String SERVER_USE = "1.3.6.1.5.5.7.3.1";

	private static final String CLIENT_USE = "1.3.6.1.5.5.7.3.2";

	@TempDir
	private Path directory;

	@Test
	void makesTwoAuthoritiesAndACertificateOfEitherForEachHost() throws Exception {
		run("n0.example.org", "10.0.0.1");
		X509Certificate nodes = certificate("nodes-ca.crt");
		X509Certificate clients = certificate("clients-ca.crt");
		for (String host : List.of("n0.example.org", "10.0.0.1")) {
			X509Certificate node = certificate(host + "/node.crt");
			node.verify(nodes.getPublicKey());
			assertThatThrownBy(() -> node.verify(clients.getPublicKey())).isInstanceOf(SignatureException.class);
			assertThat(names(node)).containsExactly(host);
			assertThat(node.getExtendedKeyUsage()).containsExactlyInAnyOrder(SERVER_USE, CLIENT_USE);
			X509Certificate server = certificate(host + "/server.crt");
			server.verify(clients.getPublicKey());
			assertThat(names(server)).containsExactly(host, "localhost");
			assertThat(server.getExtendedKeyUsage()).containsExactly(SERVER_USE);
			assertThat(PosixFilePermissions
				.toString(Files.getPosixFilePermissions(this.directory.resolve(host + "/node.key"))))
				.isEqualTo("rw-------");
		}
	}

	@Test
	void makesCertificatesOfClientsAndKeepsTheAuthorities() throws Exception {
		run("n0.example.org");
		X509Certificate authority = certificate("clients-ca.crt");
		X509Certificate before = certificate("n0.example.org/node.crt");
		run("n0.example.org");
		assertThat(certificate("n0.example.org/node.crt")).isNotEqualTo(before);
		Process client = start("--client", "payments.shop.svc", this.directory.toString());
		assertThat(end(client)).contains("payments.shop.svc.crt");
		X509Certificate its = certificate("payments.shop.svc.crt");
		its.verify(authority.getPublicKey());
		assertThat(names(its)).containsExactly("payments.shop.svc");
		assertThat(its.getExtendedKeyUsage()).containsExactly(CLIENT_USE);
	}

	@ParameterizedTest
	@ValueSource(strings = { "nodes-ca", "clients-ca", "peers", "clients" })
	void aClientTakesNoNameOfAFileOfTheCluster(String name) throws Exception {
		run("n0.example.org");
		byte[] key = Files.readAllBytes(this.directory.resolve("nodes-ca.key"));
		Process client = start("--client", name, this.directory.toString());
		assertThat(end(client, 2)).contains("give the client another name");
		assertThat(Files.readAllBytes(this.directory.resolve("nodes-ca.key"))).isEqualTo(key);
	}

	@Test
	void halfAnAuthorityIsNotReplaced() throws Exception {
		run("n0.example.org");
		byte[] certificate = Files.readAllBytes(this.directory.resolve("clients-ca.crt"));
		Files.delete(this.directory.resolve("clients-ca.key"));
		assertThat(end(start(this.directory.toString(), "n1.example.org"), 2))
			.contains("one half of the authority clients-ca");
		assertThat(Files.readAllBytes(this.directory.resolve("clients-ca.crt"))).isEqualTo(certificate);
		assertThat(this.directory.resolve("clients-ca.key")).doesNotExist();
	}

	@Test
	void secretsOfCertManagerAreNotReplaced() throws Exception {
		String secrets = end(start("--tokens", "--kubernetes", "shop", this.directory.toString()));
		assertThat(secrets).contains("name: quorate-access").doesNotContain("tls.key");
		assertThat(end(start("--kubernetes", "shop", this.directory.toString()), 2)).contains("add --tokens");
		assertThat(this.directory.resolve("nodes-ca.key")).doesNotExist();
	}

	@Test
	void aTokenWithTheEndOfALineIsWithoutItInItsSecret() throws Exception {
		end(start("--tokens", "--kubernetes", "shop", this.directory.toString()));
		Files.writeString(this.directory.resolve("prometheus.token"), "qk_prometheus_new\n");
		String encoded = Base64.getEncoder().encodeToString("qk_prometheus_new".getBytes(StandardCharsets.US_ASCII));
		assertThat(end(start("--tokens", "--kubernetes", "shop", this.directory.toString())))
			.contains("token: " + encoded + "\n");
	}

	@Test
	void aFailureOfOpensslIsShown() throws Exception {
		run("n0.example.org");
		Files.writeString(this.directory.resolve("clients-ca.key"), "no key");
		Process broken = start(this.directory.toString(), "n1.example.org");
		assertThat(end(broken, 2)).contains("bin/certificates: openssl has failed: ", "key");
	}

	private void run(String... hosts) throws IOException, InterruptedException {
		List<String> arguments = new ArrayList<>(List.of(this.directory.toString()));
		arguments.addAll(List.of(hosts));
		assertThat(end(start(arguments.toArray(String[]::new)))).contains(hosts);
	}

	private static Process start(String... arguments) throws IOException {
		List<String> command = new ArrayList<>(List.of(Path.of("bin", "certificates").toAbsolutePath().toString()));
		command.addAll(List.of(arguments));
		return new ProcessBuilder(command).redirectErrorStream(true).start();
	}

	private static String end(Process process) throws IOException, InterruptedException {
		return end(process, 0);
	}

	private static String end(Process process, int status) throws IOException, InterruptedException {
		try (InputStream said = process.getInputStream()) {
			String text = new String(said.readAllBytes(), StandardCharsets.UTF_8);
			assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
			assertThat(process.exitValue()).as(text).isEqualTo(status);
			return text;
		}
	}

	private X509Certificate certificate(String file) throws IOException, GeneralSecurityException {
		try (InputStream from = Files.newInputStream(this.directory.resolve(file))) {
			return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(from);
		}
	}

	private static List<String> names(X509Certificate certificate) throws GeneralSecurityException {
		Collection<List<?>> names = certificate.getSubjectAlternativeNames();
		return names.stream().map((name) -> (String) name.get(1)).toList();
	}

}
