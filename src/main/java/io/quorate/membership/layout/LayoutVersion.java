package io.quorate.membership.layout;

import io.quorate.consensus.Decision;
import io.quorate.entry.Hash64;

/**
 * The number of a layout and the hash of its content, as members report them to each
 * other. Two nodes of one cluster never know two contents of one version.
 *
 * @param version number of the layout
 * @param hash {@link Hash64} of the bytes of its content
 */
public record LayoutVersion(long version, long hash) {

	/*
	 * Distance of the versions of a recovered layout from those before. No cluster
	 * decides so many.
	 */
	private static final long RECOVERY = 1_000_000_000L;

	/** The version that a decision has, and the hash of its content. */
	public static LayoutVersion of(Decision decision) {
		byte[] content = new byte[decision.decree().size()];
		decision.decree().buffer().get(content);
		return new LayoutVersion(decision.version(), Hash64.of(content));
	}

	/**
	 * The version of the layout that members who are left begin with instead of those
	 * that the lost majority may have decided since: higher than any of these.
	 * @param last last version that one of those who are left knows
	 */
	public static long recovered(long last) {
		return (last / RECOVERY + 1) * RECOVERY + last % RECOVERY + 1;
	}

	/**
	 * Number of times that members who were left have gone on without a majority of those
	 * before.
	 */
	public long recoveries() {
		return this.version / RECOVERY;
	}

	/**
	 * Whether the two are of two histories: one version with two contents, or layouts of
	 * before and after a recovery, which no vote connects. All histories have the first
	 * layout.
	 */
	public boolean contradicts(LayoutVersion other) {
		return (this.version == other.version && this.hash != other.hash) || isOfAnotherRecovery(other);
	}

	/** Whether the cluster was recovered between the two. */
	public boolean isOfAnotherRecovery(LayoutVersion other) {
		boolean areDecided = this.version > Layout.FIRST && other.version > Layout.FIRST;
		return areDecided && recoveries() != other.recoveries();
	}

	/** {@code version 2 (0123456789abcdef)}. */
	@Override
	public String toString() {
		return "version %d (%016x)".formatted(this.version, this.hash);
	}

}
