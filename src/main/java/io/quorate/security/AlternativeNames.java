package io.quorate.security;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/**
 * The alternative names of the subject of a certificate, each behind its kind:
 * {@code dns:}, {@code uri:} or {@code ip:}. The common name is none of them: nothing
 * says what it is the name of.
 */
public final class AlternativeNames {

	private static final int DNS_NAME = 2;

	private static final int URI = 6;

	private static final int ADDRESS = 7;

	private AlternativeNames() {
	}

	/**
	 * The names in a certificate, in its order; names of hosts in lower case.
	 * @throws CertificateParsingException when they cannot be read
	 */
	public static List<String> of(X509Certificate certificate) throws CertificateParsingException {
		List<String> names = new ArrayList<>();
		Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
		if (alternatives != null) {
			for (List<?> alternative : alternatives) {
				if (alternative.getFirst() instanceof Integer kind && alternative.get(1) instanceof String name) {
					switch (kind) {
						case DNS_NAME -> names.add("dns:" + name.toLowerCase(Locale.ROOT));
						case URI -> names.add("uri:" + name);
						case ADDRESS -> names.add("ip:" + name);
						default -> {
						}
					}
				}
			}
		}
		return List.copyOf(names);
	}

}
