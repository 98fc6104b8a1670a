package io.quorate.internode.tls;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;

import io.quorate.membership.members.HostPattern;
import io.quorate.security.AlternativeNames;
import org.jspecify.annotations.Nullable;

/**
 * The hosts of the members by their ids, and the comparison of certificates with them. A
 * certificate is that of a member if one of its alternative names is the host of that
 * member, or has a wildcard in the place of the host's first label. Safe for any number
 * of threads.
 */
final class MemberNames {

	private final Map<String, String> hosts = new ConcurrentSkipListMap<>();

	/* Hosts of nodes that are to learn that they have left. */
	private final Set<String> formers = ConcurrentHashMap.newKeySet();

	private volatile List<HostPattern> admitted = List.of();

	/**
	 * The names of these members.
	 * @param hosts host of each member by its id, a name or an address
	 */
	MemberNames(Map<String, String> hosts) {
		hosts.forEach(this::put);
	}

	void put(String id, String host) {
		this.hosts.put(id, HostPattern.normal(host));
	}

	/**
	 * Removes a member that has left. Its certificate is that of no member any more, but
	 * may begin a handshake, in which the node learns that it has left.
	 */
	void remove(String id) {
		String host = forget(id);
		if (host != null) {
			this.formers.add(host);
		}
	}

	/** Removes a node that has not become a member. */
	@Nullable String forget(String id) {
		return this.hosts.remove(id);
	}

	/**
	 * Has the certificates of further hosts open connections, on which they may ask to
	 * join.
	 */
	void admit(List<HostPattern> hosts) {
		this.admitted = List.copyOf(hosts);
	}

	/**
	 * Reason why a certificate is that of no member, of no former one, and of no host
	 * that may ask to join, or {@code null} for none.
	 */
	@Nullable String objection(X509Certificate certificate) throws CertificateParsingException {
		List<String> names = names(certificate);
		boolean isKnown = Stream.concat(this.hosts.values().stream(), this.formers.stream())
			.anyMatch((host) -> isOneOf(names, host));
		boolean isAdmitted = this.admitted.stream().anyMatch((pattern) -> names.stream().anyMatch(pattern::meets));
		return (isKnown || isAdmitted) ? null : "the certificate is that of %s, and of no member %s".formatted(names,
				this.hosts.values().stream().distinct().sorted().toList());
	}

	/** Reason why a certificate is not that of one member, or {@code null} for none. */
	@Nullable String objection(X509Certificate certificate, String id) throws CertificateParsingException {
		List<String> names = names(certificate);
		String host = this.hosts.get(id);
		return (host != null && isOneOf(names, host)) ? null
				: "the certificate is that of %s, and the host of the member '%s' is '%s'".formatted(names, id, host);
	}

	/** Reason why a certificate is not that of a host, or {@code null} for none. */
	static @Nullable String hostObjection(X509Certificate certificate, String host) throws CertificateParsingException {
		List<String> names = names(certificate);
		return isOneOf(names, host) ? null
				: "the certificate is that of %s, and not of the host '%s'".formatted(names, host);
	}

	private static List<String> names(X509Certificate certificate) throws CertificateParsingException {
		List<String> names = new ArrayList<>();
		for (String name : AlternativeNames.of(certificate)) {
			if (name.startsWith("dns:") || name.startsWith("ip:")) {
				names.add(HostPattern.normal(name.substring(name.indexOf(':') + 1)));
			}
		}
		return names;
	}

	private static boolean isOneOf(List<String> names, String host) {
		return names.stream().anyMatch((name) -> HostPattern.covers(name, host));
	}

}
