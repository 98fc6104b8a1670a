package io.quorate.api.transport;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The comparisons of the fields {@code Host} and {@code Origin} that keep web pages away
 * from a node: they only compare, and allocate nothing.
 */
final class HostField {

	static final String LOCALHOST = "localhost";

	private static final String HTTP = "http://";

	private static final String HTTPS = "https://";

	private static final String LOOPBACK = "127.";

	private static final String LOOPBACK6 = "[::1]";

	/* Length of the longest IPv4 address. */
	private static final int LONGEST = 15;

	private HostField() {
	}

	/**
	 * Whether a host is one by which this machine alone is reached: a loopback literal or
	 * {@code localhost}. Any other name may be one that a web page has had resolved to
	 * loopback.
	 * @param host with or without a port
	 * @param bound the address that is listened on, as it is written in the field
	 */
	static boolean isLocal(String host, String bound) {
		int end = hostEnd(host);
		return is(host, end, LOCALHOST) || is(host, end, LOOPBACK6) || isLoopbackLiteral(host, end)
				|| is(host, end, bound);
	}

	/**
	 * Whether a host is one of some.
	 * @param host with or without a port
	 */
	static boolean isOneOf(String host, List<String> names) {
		int end = hostEnd(host);
		for (String name : names) {
			if (is(host, end, name)) {
				return true;
			}
		}
		return false;
	}

	private static boolean is(String host, int end, String name) {
		return end == name.length() && host.regionMatches(true, 0, name, 0, end);
	}

	private static int hostEnd(String host) {
		int from = host.startsWith("[") ? Math.max(host.indexOf(']'), 0) : 0;
		int colon = host.indexOf(':', from);
		return (colon < 0) ? host.length() : colon;
	}

	private static boolean isLoopbackLiteral(String host, int end) {
		if (end > LONGEST || !host.startsWith(LOOPBACK)) {
			return false;
		}
		for (int i = LOOPBACK.length(); i < end; i++) {
			char c = host.charAt(i);
			if (c != '.' && (c < '0' || c > '9')) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Whether a request comes from a page of the host that it is sent to.
	 * @param origin scheme, host and port, or anything else
	 * @param isEncrypted whether the request came by HTTPS; if not, a proxy may have
	 * ended it
	 */
	static boolean isOf(String origin, @Nullable String host, boolean isEncrypted) {
		int from = schemeEnd(origin, isEncrypted);
		if (host == null || host.isEmpty() || from < 0) {
			return false;
		}
		return origin.length() - from == host.length() && origin.regionMatches(true, from, host, 0, host.length());
	}

	private static int schemeEnd(String origin, boolean isEncrypted) {
		if (origin.regionMatches(true, 0, HTTPS, 0, HTTPS.length())) {
			return HTTPS.length();
		}
		return (!isEncrypted && origin.regionMatches(true, 0, HTTP, 0, HTTP.length())) ? HTTP.length() : -1;
	}

}
