package io.quorate.api;

import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;

/**
 * The paths of the protocol, and the header fields that answers to them and all problems
 * have.
 */
final class Protocol {

	private static final String ROOT = "/v0";

	private Protocol() {
	}

	/** Whether a path is of the protocol: its root, or one below it. */
	static boolean contains(String path) {
		return path.startsWith(ROOT) && (path.length() == ROOT.length() || path.charAt(ROOT.length()) == '/');
	}

	/** Forbids proxies and browsers to keep an answer or guess its type. */
	static void protect(HttpHeaders headers) {
		headers.setCacheControl(CacheControl.noStore());
		headers.set("X-Content-Type-Options", "nosniff");
	}

}
