package io.quorate.membership;

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

	/** The version that a decision has, and the hash of its content. */
	static LayoutVersion of(Decision decision) {
		byte[] content = new byte[decision.decree().size()];
		decision.decree().buffer().get(content);
		return new LayoutVersion(decision.version(), Hash64.of(content));
	}

	/** Whether the two are one version with two contents. */
	public boolean contradicts(LayoutVersion other) {
		return this.version == other.version && this.hash != other.hash;
	}

	/** {@code version 2 (0123456789abcdef)}. */
	@Override
	public String toString() {
		return "version %d (%016x)".formatted(this.version, this.hash);
	}

}
