package io.quorate.consensus;

/**
 * The content of a version, decided for good.
 *
 * @param version number of the version, from 1
 */
public record Decision(long version, Decree decree) {

	public Decision {
		if (version < 1) {
			throw new IllegalArgumentException("the version %d of a decision is below 1".formatted(version));
		}
	}

	/** The number of the version that is decided next. */
	public long next() {
		return this.version + 1;
	}

}
