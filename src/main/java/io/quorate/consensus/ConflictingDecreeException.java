package io.quorate.consensus;

/**
 * The failure of a learner that knows one content of a version and hears of another. It
 * does not occur as long as no ledger loses what it has kept and no two clusters meet;
 * the message names the version and both contents.
 */
public final class ConflictingDecreeException extends RuntimeException {

	private final long version;

	ConflictingDecreeException(long version, Decree known, Decree heard) {
		super("version %d has two contents: %s here, %s there".formatted(version, known, heard));
		this.version = version;
	}

	/** The version that has two contents. */
	public long version() {
		return this.version;
	}

}
