package io.quorate.api.request;

import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;

/**
 * The paths of the protocol, and the header fields that answers to them and all problems
 * have.
 */
public final class Protocol {

	/** The path of ranges of entities. */
	public static final String RANGE = "/v0/entities";

	/** The path of watches. */
	public static final String WATCH = "/v0/watch";

	/** The path of batches. */
	public static final String BATCH = "/v0/batch";

	/**
	 * The field with the version of a key without a value: that of its deletion, or of
	 * the value that has expired.
	 */
	public static final String VERSION = "Quorate-Version";

	/** The field that says that an earlier request has done the write. */
	public static final String REPLAYED = "Idempotency-Replayed";

	/**
	 * The field with the version that the key of such a write has by now, if it has one.
	 */
	public static final String CURRENT = "Quorate-Current";

	/**
	 * {@code Cache-Control} of answers with a version on which a write may depend, and of
	 * streams: a proxy that transforms a body makes its tag another one, or holds it
	 * back.
	 */
	public static final String NO_TRANSFORM = "no-store, no-transform";

	private static final String ROOT = "/v0";

	private Protocol() {
	}

	/** Whether a path is of the protocol: its root, or one below it. */
	public static boolean contains(String path) {
		return path.startsWith(ROOT) && (path.length() == ROOT.length() || path.charAt(ROOT.length()) == '/');
	}

	/** Forbids proxies and browsers to keep an answer or guess its type. */
	public static void protect(HttpHeaders headers) {
		headers.setCacheControl(CacheControl.noStore());
		headers.set("X-Content-Type-Options", "nosniff");
	}

}
