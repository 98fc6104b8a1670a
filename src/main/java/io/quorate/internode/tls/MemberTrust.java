package io.quorate.internode.tls;

import java.net.InetAddress;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts a connecting node when a trusted authority has signed its certificate, and the
 * certificate is that of a member: one of its alternative names is the host of a member,
 * or has a wildcard in the place of the host's first label. Other certificates of the
 * same authority are refused. A node that this node connects to is checked elsewhere,
 * against the host that was to be reached.
 */
final class MemberTrust extends X509ExtendedTrustManager {

	private static final int DNS_NAME = 2;

	private static final int ADDRESS = 7;

	private static final String WILDCARD = "*.";

	private final X509ExtendedTrustManager authorities;

	private final Set<String> hosts = new TreeSet<>();

	/**
	 * A trust manager for these members.
	 * @param authorities check of the signatures
	 * @param hosts of all members, names and addresses
	 */
	MemberTrust(X509ExtendedTrustManager authorities, Collection<String> hosts) {
		this.authorities = authorities;
		hosts.forEach((host) -> this.hosts.add(normal(host)));
	}

	/**
	 * The normal form of a host: an address in one notation, a lower-case name without a
	 * dot at the end.
	 */
	private static String normal(String host) {
		try {
			return InetAddress.ofLiteral(host).getHostAddress();
		}
		catch (IllegalArgumentException name) {
			String lower = host.toLowerCase(Locale.ROOT);
			return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
		}
	}

	@Override
	public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
		this.authorities.checkClientTrusted(chain, authType);
		requireMember(chain[0]);
	}

	@Override
	public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
			throws CertificateException {
		this.authorities.checkClientTrusted(chain, authType, socket);
		requireMember(chain[0]);
	}

	@Override
	public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
			throws CertificateException {
		this.authorities.checkClientTrusted(chain, authType, engine);
		requireMember(chain[0]);
	}

	private void requireMember(X509Certificate certificate) throws CertificateException {
		List<String> names = names(certificate);
		if (names.stream().noneMatch(this::isMember)) {
			throw new CertificateException(
					"the certificate is that of %s, and of no member %s".formatted(names, this.hosts));
		}
	}

	private static List<String> names(X509Certificate certificate) throws CertificateException {
		List<String> names = new ArrayList<>();
		Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
		if (alternatives != null) {
			for (List<?> alternative : alternatives) {
				Object kind = alternative.getFirst();
				if (kind.equals(DNS_NAME) || kind.equals(ADDRESS)) {
					names.add(normal((String) alternative.get(1)));
				}
			}
		}
		return names;
	}

	private boolean isMember(String name) {
		return this.hosts.stream().anyMatch((host) -> covers(name, host));
	}

	/** Whether a name of a certificate is that of a host. */
	static boolean covers(String name, String host) {
		String its = normal(name);
		String wanted = normal(host);
		if (!its.startsWith(WILDCARD)) {
			return its.equals(wanted);
		}
		int dot = wanted.indexOf('.');
		return dot > 0 && wanted.substring(dot).equals(its.substring(1));
	}

	@Override
	public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
		this.authorities.checkServerTrusted(chain, authType);
	}

	@Override
	public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
			throws CertificateException {
		this.authorities.checkServerTrusted(chain, authType, socket);
	}

	@Override
	public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
			throws CertificateException {
		this.authorities.checkServerTrusted(chain, authType, engine);
	}

	@Override
	public X509Certificate[] getAcceptedIssuers() {
		return this.authorities.getAcceptedIssuers();
	}

}
