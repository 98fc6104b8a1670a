package io.quorate.security.access;

import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import org.jspecify.annotations.Nullable;

/**
 * A program or person that sends requests, with the rights that the access file grants.
 * Immutable: a file that says something else of it makes another one of the same name.
 */
public final class Principal {

	/** The name of requests without credentials. */
	public static final String ANONYMOUS = "anonymous";

	/** Any client of a node without an access file: all rights, no limits. */
	static final Principal UNRESTRICTED = new Principal(ANONYMOUS,
			new Rights(KeyPrefixes.ALL, KeyPrefixes.ALL, true, true), Limits.NONE);

	/** A sender of a request that needs no right. */
	static final Principal STRANGER = new Principal(ANONYMOUS,
			new Rights(KeyPrefixes.NONE, KeyPrefixes.NONE, false, false), Limits.NONE);

	private final String name;

	private final Rights rights;

	private final Limits limits;

	Principal(String name, Rights rights, Limits limits) {
		this.name = name;
		this.rights = rights;
		this.limits = limits;
	}

	/** Its name in the access file. */
	public String name() {
		return this.name;
	}

	/** Its limits. */
	public Limits limits() {
		return this.limits;
	}

	Rights rights() {
		return this.rights;
	}

	/** Whether it may read a key. */
	public boolean mayRead(Key key) {
		return this.rights.read.has(key);
	}

	/** Whether it may read every key of a range: one of its prefixes has them all. */
	public boolean mayRead(ScanRange range) {
		return this.rights.read.hasAllOf(range);
	}

	/** Whether it may write a key, which does not mean that it may read it. */
	public boolean mayWrite(Key key) {
		return this.rights.write.has(key);
	}

	/** Whether it has the right that a path requires. */
	boolean has(Right right) {
		return switch (right) {
			case NONE, KNOWN -> true;
			case DATA -> !this.rights.read.isEmpty() || !this.rights.write.isEmpty();
			case METRICS -> this.rights.metrics;
			case ADMIN -> this.rights.admin;
		};
	}

	/**
	 * The rights of a principal.
	 *
	 * @param read keys that it may read
	 * @param write keys that it may write
	 * @param metrics whether it may read the meters and the state of the node
	 * @param admin whether it may command the node
	 */
	record Rights(KeyPrefixes read, KeyPrefixes write, boolean metrics, boolean admin) {
	}

	/**
	 * The limits of a principal.
	 *
	 * @param requestsPerSecond most requests in a second to this node, {@code null} for
	 * no limit
	 * @param share most of this node's requests and bytes in flight, above 0 and at most
	 * 1
	 */
	public record Limits(@Nullable Integer requestsPerSecond, double share) {

		static final Limits NONE = new Limits(null, 1);

	}

}
