package io.quorate.membership.members;

import java.net.InetAddress;
import java.util.Locale;

/**
 * A host, or all hosts that differ in their first label alone.
 *
 * @param text name or address, or a name with {@code *} in the place of the first label,
 * in its normal form
 */
public record HostPattern(String text) {

	private static final String WILDCARD = "*.";

	/**
	 * Brings the host into its normal form.
	 * @throws IllegalArgumentException when there is no such host, or the wildcard stands
	 * elsewhere
	 */
	public HostPattern {
		text = normal(text);
		String fixed = text.startsWith(WILDCARD) ? text.substring(WILDCARD.length()) : text;
		if (fixed.isEmpty() || fixed.chars().anyMatch((character) -> character <= ' ' || character == '*')) {
			throw new IllegalArgumentException(
					"'%s' is no host, and no name with * in the place of the first label".formatted(text));
		}
	}

	/**
	 * The normal form of a host: an address in one notation, a lower-case name without a
	 * dot at the end.
	 */
	public static String normal(String host) {
		try {
			return InetAddress.ofLiteral(host).getHostAddress();
		}
		catch (IllegalArgumentException name) {
			String lower = host.toLowerCase(Locale.ROOT);
			return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
		}
	}

	/**
	 * Whether a name, that of a certificate for instance, is that of a host.
	 * @param name name or address, or a name with {@code *} as above
	 */
	public static boolean covers(String name, String host) {
		String its = normal(name);
		String wanted = normal(host);
		if (!its.startsWith(WILDCARD)) {
			return its.equals(wanted);
		}
		int dot = wanted.indexOf('.');
		return dot > 0 && wanted.substring(dot).equals(its.substring(1));
	}

	/** Whether this is a pattern of a host. */
	public boolean covers(String host) {
		return covers(this.text, host);
	}

	/**
	 * Whether a name of a certificate is that of some host of this pattern.
	 * @param name name or address, or a name with {@code *} as above
	 */
	public boolean meets(String name) {
		return covers(this.text, name) || covers(name, this.text);
	}

	@Override
	public String toString() {
		return this.text;
	}

}
