package io.quorate.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Map;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import org.jspecify.annotations.Nullable;

/**
 * The fields of each request that a closed cluster asks for, and the authority by which
 * its certificates are checked while keys are written. Gatling itself accepts every
 * certificate.
 *
 * @param fields fields of the header by their names
 * @param ca file with certificates of authorities, {@code null} for those of the JDK
 */
record Credentials(Map<String, String> fields, @Nullable Path ca) {

	Credentials {
		fields = Map.copyOf(fields);
	}

	/**
	 * Reads the file of the token.
	 * @throws UncheckedIOException if it cannot be read
	 */
	static Credentials of(Options options) {
		Path file = options.tokenFile();
		try {
			return new Credentials(
					(file != null) ? Map.of("Authorization", "Bearer " + Files.readString(file).strip()) : Map.of(),
					options.ca());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** A client that trusts the authority alone. */
	HttpClient client() {
		HttpClient.Builder client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
		return ((this.ca != null) ? client.sslContext(trusting(this.ca)) : client).build();
	}

	private static SSLContext trusting(Path file) {
		try (InputStream text = Files.newInputStream(file)) {
			KeyStore trusted = KeyStore.getInstance("PKCS12");
			trusted.load(null, null);
			for (Certificate certificate : CertificateFactory.getInstance("X.509").generateCertificates(text)) {
				trusted.setCertificateEntry(Integer.toString(trusted.size()), certificate);
			}
			TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
			managers.init(trusted);
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(null, managers.getTrustManagers(), null);
			return context;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalArgumentException("-Dload.ca: no certificates in " + file, ex);
		}
	}

}
