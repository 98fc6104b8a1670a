package io.quorate.internode.wire;

/**
 * A range of protocol versions that a node speaks. Two nodes talk in the highest version
 * that both ranges have.
 *
 * @param oldest oldest version
 * @param newest newest version
 */
public record Versions(int oldest, int newest) {

	public Versions {
		if (oldest < 0 || oldest > newest) {
			throw new IllegalArgumentException("there are no versions from %d to %d".formatted(oldest, newest));
		}
	}

	/** The range of one version. */
	public static Versions of(int version) {
		return new Versions(version, version);
	}

	/** Whether a version is in the range. */
	public boolean has(int version) {
		return this.oldest <= version && version <= this.newest;
	}

	/** Whether some version is in both ranges. */
	public boolean meets(Versions other) {
		return this.oldest <= other.newest && other.oldest <= this.newest;
	}

	/** The highest version of both ranges, which meet. */
	public int highestCommon(Versions other) {
		return Math.min(this.newest, other.newest);
	}

	/** {@code 1-2}, or {@code 1} for a range of one version. */
	@Override
	public String toString() {
		return (this.oldest == this.newest) ? Integer.toString(this.oldest) : this.oldest + "-" + this.newest;
	}

}
