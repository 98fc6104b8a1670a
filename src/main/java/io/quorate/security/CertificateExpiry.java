package io.quorate.security;

import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collections;

/** The end of the time for which the certificates of a keystore are valid. */
public final class CertificateExpiry {

	private CertificateExpiry() {
	}

	/**
	 * The end of the certificate, in all chains of the keystore, that expires first.
	 * @throws GeneralSecurityException when there is no certificate, or it cannot be read
	 */
	public static Instant of(KeyStore store) throws GeneralSecurityException {
		Instant first = Instant.MAX;
		for (String alias : Collections.list(store.aliases())) {
			Certificate[] chain = store.getCertificateChain(alias);
			for (Certificate certificate : (chain != null) ? chain : new Certificate[0]) {
				Instant end = ((X509Certificate) certificate).getNotAfter().toInstant();
				first = end.isBefore(first) ? end : first;
			}
		}
		if (first.equals(Instant.MAX)) {
			throw new GeneralSecurityException("its keystore has no certificate to show");
		}
		return first;
	}

}
