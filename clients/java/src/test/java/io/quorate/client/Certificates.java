package io.quorate.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

import static org.assertj.core.api.Assertions.assertThat;

/** A certificate that is its own authority, made by {@code keytool}. */
final class Certificates {

	private static final String PASSWORD = "changeit";

	private final Path store;

	private final Path authority;

	/**
	 * Makes a certificate.
	 * @param name the name of the node that it is for, as {@code keytool} writes it
	 */
	Certificates(Path directory, String name) {
		String file = name.replace(':', '-');
		this.store = directory.resolve(file + ".p12");
		this.authority = directory.resolve(file + ".pem");
		keytool("-genkeypair", "-keyalg", "EC", "-alias", "node", "-dname", "CN=node", "-ext", "san=" + name, "-ext",
				"bc:c", "-validity", "2");
		keytool("-exportcert", "-rfc", "-alias", "node", "-file", this.authority.toString());
	}

	private void keytool(String... arguments) {
		try {
			List<String> command = new ArrayList<>(
					List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
			command.addAll(List.of(arguments));
			command.addAll(List.of("-keystore", this.store.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
			Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
			byte[] output = process.getInputStream().readAllBytes();
			assertThat(process.waitFor()).as(new String(output, StandardCharsets.UTF_8)).isZero();
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
		catch (InterruptedException interrupt) {
			throw new IllegalStateException(interrupt);
		}
	}

	Path authority() {
		return this.authority;
	}

	SSLContext ofServer() {
		try (InputStream from = Files.newInputStream(this.store)) {
			KeyStore keys = KeyStore.getInstance("PKCS12");
			keys.load(from, PASSWORD.toCharArray());
			KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
			managers.init(keys, PASSWORD.toCharArray());
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(managers.getKeyManagers(), null, null);
			return context;
		}
		catch (IOException | GeneralSecurityException failure) {
			throw new IllegalStateException(failure);
		}
	}

}
