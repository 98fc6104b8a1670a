package io.quorate.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The authority whose certificates a client trusts. */
final class Trust {

	private Trust() {
	}

	/**
	 * Reads the certificates of an authority.
	 * @param file a file in PEM
	 * @throws UncheckedIOException if the file cannot be read
	 * @throws IllegalArgumentException if it has no certificate
	 */
	static SSLContext of(Path file) {
		try (InputStream from = Files.newInputStream(file)) {
			Collection<? extends Certificate> all = CertificateFactory.getInstance("X.509").generateCertificates(from);
			if (all.isEmpty()) {
				throw new IllegalArgumentException("the authority " + file + " has no certificate");
			}
			KeyStore store = KeyStore.getInstance("PKCS12");
			store.load(null, null);
			for (Certificate each : all) {
				store.setCertificateEntry("authority-" + store.size(), each);
			}
			TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
			managers.init(store);
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(null, managers.getTrustManagers(), null);
			return context;
		}
		catch (GeneralSecurityException failure) {
			throw new IllegalArgumentException("the authority " + file + " cannot be used", failure);
		}
		catch (IOException failure) {
			throw new UncheckedIOException("the authority " + file + " cannot be read", failure);
		}
	}

}
