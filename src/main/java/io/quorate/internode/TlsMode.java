package io.quorate.internode;

import java.util.Locale;

/**
 * The form of the connections between nodes, plain or encrypted: what a node accepts, and
 * how it connects to its peers.
 */
public enum TlsMode {

	/** Plain connections only. */
	OFF,

	/**
	 * Both forms are accepted. Peers are reached by TLS, and in plain form if they do not
	 * speak TLS: the step between the other two while all nodes serve.
	 */
	OPTIONAL,

	/** TLS only. */
	REQUIRED;

	/** Name of the mode in the configuration. */
	public String word() {
		return name().toLowerCase(Locale.ROOT);
	}

}
