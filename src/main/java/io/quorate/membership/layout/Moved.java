package io.quorate.membership.layout;

/**
 * The progress of a member with the copy of what it gains in a change of the layout.
 *
 * @param version version of the layout by which it copies, 0 when it has copied nothing
 * since its start
 * @param millionths part of the work that is done, an estimate, in millionths
 * @param bytes bytes of entries that it has received by this version
 * @param expectedBytes bytes that it will have received at the end, an estimate; 0 while
 * that is not known
 */
public record Moved(long version, int millionths, long bytes, long expectedBytes) {

	/** The progress of a member that has copied nothing since its start. */
	public static final Moved NONE = new Moved(0, 0, 0, 0);

	/** All of the work, in millionths. */
	public static final int ALL = 1_000_000;

	public Moved {
		if (version < 0 || millionths < 0 || millionths > ALL || bytes < 0 || expectedBytes < 0) {
			throw new IllegalArgumentException("no progress: %d of %d millionths, %d bytes, version %d"
				.formatted(millionths, ALL, bytes, version));
		}
	}

	/** The part of the work that is done, from 0 to 1. */
	public double share() {
		return (double) this.millionths / ALL;
	}

}
