package io.quorate;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
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
	public Authority(Path directory, String name) throws IOException, InterruptedException, GeneralSecurityException {
		this.directory = Files.createDirectories(directory.resolve(name));
		this.store = this.directory.resolve("authority.p12");
		keys("authority", "-dname", "CN=" + name, "-validity", "10", "-ext", "bc:c");
		write(certificate(), "CERTIFICATE", read().getCertificate("authority").getEncoded());
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
		keys(name, "-dname", "CN=" + name, "-ext", "san=" + names, "-startdate", begin, "-validity", "2", "-signer",
				"authority");
		KeyStore keys = read();
		Issued issued = new Issued(this.directory.resolve(name + ".crt"), this.directory.resolve(name + ".key"),
				certificate());
		write(issued.certificate(), "CERTIFICATE", keys.getCertificate(name).getEncoded());
		write(issued.key(), "PRIVATE KEY", keys.getKey(name, PASSWORD.toCharArray()).getEncoded());
		return issued;
	}

	/** The first message of a client that has TLS 1.1 at most, as a JDK sends none. */
	public static byte[] helloOfTls11() {
		ByteBuffer hello = ByteBuffer.allocate(52);
		hello.put(new byte[] { 22, 3, 1, 0, 47, 1, 0, 0, 43, 3, 2 });
		hello.put(new byte[32]);
		// No session, two suites with ECDHE, no compression.
		hello.put(new byte[] { 0, 0, 4, (byte) 0xc0, 9, (byte) 0xc0, 19, 1, 0 });
		return hello.array();
	}

	private KeyStore read() throws IOException, GeneralSecurityException {
		return KeyStore.getInstance(this.store.toFile(), PASSWORD.toCharArray());
	}

	private static void write(Path file, String kind, byte[] content) throws IOException {
		Files.writeString(file, "-----BEGIN %s-----\n%s\n-----END %1$s-----\n".formatted(kind,
				Base64.getMimeEncoder().encodeToString(content)));
	}

	/* The time of the build goes into the starts of this program: one for each. */
	private void keys(String alias, String... arguments) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
		command.addAll(List.of("-genkeypair", "-alias", alias, "-keyalg", "EC", "-groupname", "secp256r1", "-keystore",
				this.store.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD, "-J-XX:TieredStopAtLevel=1",
				"-J-XX:+UseSerialGC"));
		command.addAll(List.of(arguments));
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

		/** The same, which trusts another authority. */
		public Issued withTrusted(Path authority) {
			return new Issued(this.certificate, this.key, authority);
		}

		/** Puts these in the place of others, as a volume with a secret does: at once. */
		public void replace(Issued others) throws IOException {
			move(this.certificate, others.certificate);
			move(this.key, others.key);
			move(this.trusted, others.trusted);
		}

		private static void move(Path from, Path to) throws IOException {
			if (from.equals(to)) {
				return;
			}
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
