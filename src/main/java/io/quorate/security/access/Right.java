package io.quorate.security.access;

/** The right that a path requires, before its handler looks at a key. */
public enum Right {

	/** None: strangers may, too. */
	NONE("nothing"),

	/** Any known principal. */
	KNOWN("be known"),

	/** Any principal that may read or write some keys; the handler looks at the keys. */
	DATA("read or write keys"),

	/** The right to the meters and the state of the node and its cluster. */
	METRICS("read metrics"),

	/** The right to command the node, and to all paths that require nothing less. */
	ADMIN("administer this node");

	private final String words;

	Right(String words) {
		this.words = words;
	}

	/** The right in words, behind {@code may not}. */
	String words() {
		return this.words;
	}

}
