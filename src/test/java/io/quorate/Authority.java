package io.quorate;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;

import static org.assertj.core.api.Assertions.assertThat;

/** Signs certificates, with the keytool of the JDK. Its files are under a directory. */
public final class Authority {

	private static final String PASSWORD = "changeit";

	private final Path directory;

	private final Path store;

	/** A new one, whom nobody trusts yet. */
	public Authority(Path directory, String name) throws IOException, InterruptedException {
		this.directory = Files.createDirectories(directory.resolve(name));
		this.store = this.directory.resolve("authority.p12");
		keytool("-genkeypair", "-alias", "authority", "-dname", "CN=" + name, "-keyalg", "EC", "-groupname",
				"secp256r1", "-validity", "10", "-ext", "bc:c", "-keystore", this.store.toString());
		keytool("-exportcert", "-rfc", "-alias", "authority", "-keystore", this.store.toString(), "-file",
				certificate().toString());
	}

	/** What those who trust it are given. */
	public Path certificate() {
		return this.directory.resolve("authority.crt");
	}

	/**
	 * Keys and a certificate for two days from a day ago.
	 * @param names such as {@code dns:localhost,ip:127.0.0.1}
	 */
	public Issued issue(String name, String names) throws IOException, InterruptedException, GeneralSecurityException {
		return issue(name, names, "-1d");
	}

	/** With which the two days begin then, such as {@code -3d}. */
	public Issued issue(String name, String names, String begin)
			throws IOException, InterruptedException, GeneralSecurityException {
		Path keys = this.directory.resolve(name + ".p12");
		Path request = this.directory.resolve(name + ".csr");
		Issued issued = new Issued(this.directory.resolve(name + ".crt"), this.directory.resolve(name + ".key"),
				certificate());
		keytool("-genkeypair", "-alias", name, "-dname", "CN=" + name, "-keyalg", "EC", "-groupname", "secp256r1",
				"-keystore", keys.toString());
		keytool("-certreq", "-alias", name, "-keystore", keys.toString(), "-file", request.toString());
		keytool("-gencert", "-rfc", "-alias", "authority", "-keystore", this.store.toString(), "-infile",
				request.toString(), "-outfile", issued.certificate().toString(), "-ext", "san=" + names, "-startdate",
				begin, "-validity", "2");
		KeyStore store = KeyStore.getInstance("PKCS12");
		try (InputStream from = Files.newInputStream(keys)) {
			store.load(from, PASSWORD.toCharArray());
		}
		byte[] key = store.getKey(name, PASSWORD.toCharArray()).getEncoded();
		Files.writeString(issued.key(), "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n"
			.formatted(Base64.getMimeEncoder().encodeToString(key)));
		return issued;
	}

	private static void keytool(String... arguments) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
		command.addAll(List.of(arguments));
		command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD, "-J-XX:TieredStopAtLevel=1"));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		try (InputStream said = process.getInputStream()) {
			String text = new String(said.readAllBytes(), StandardCharsets.UTF_8);
			assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
			assertThat(process.exitValue()).as("%s: %s", command, text).isZero();
		}
	}

	/**
	 * The files that a node needs for encryption.
	 *
	 * @param certificate certificate of the node
	 * @param key key of the node
	 * @param trusted certificate of the authority
	 */
	public record Issued(Path certificate, Path key, Path trusted) {

		/** Puts these in the place of others, as a volume with a secret does: at once. */
		public void replace(Issued others) throws IOException {
			move(this.certificate, others.certificate);
			move(this.key, others.key);
			move(this.trusted, others.trusted);
		}

		private static void move(Path from, Path to) throws IOException {
			Path fresh = to.resolveSibling(to.getFileName() + ".new");
			Files.copy(from, fresh, StandardCopyOption.REPLACE_EXISTING);
			Files.move(fresh, to, StandardCopyOption.ATOMIC_MOVE);
		}

		/** A bundle of these, which is checked when its managers are asked for. */
		public SslBundle bundle() {
			return SslBundle.of(new PemSslStoreBundle(
					PemSslStoreDetails.forCertificate(this.certificate.toUri().toString())
						.withPrivateKey(this.key.toUri().toString()),
					PemSslStoreDetails.forCertificate(this.trusted.toUri().toString())));
		}

		/** The same, for itself. */
		public Issued copyTo(Path directory) throws IOException {
			Files.createDirectories(directory);
			Issued copy = new Issued(directory.resolve("tls.crt"), directory.resolve("tls.key"),
					directory.resolve("ca.crt"));
			replace(copy);
			return copy;
		}

	}

}
