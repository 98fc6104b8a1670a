package io.quorate.internode.wire;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A range of protocol versions that a node speaks. Two nodes talk in the highest version
 * that both ranges have.
 *
 * @param oldest oldest version
 * @param newest newest version
 */
public record Versions(int oldest, int newest) {

	private static final Pattern TEXT = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?");

	public Versions {
		if (oldest < 0 || oldest > newest) {
			throw new IllegalArgumentException("there are no versions from %d to %d".formatted(oldest, newest));
		}
	}

	/** The range of one version. */
	public static Versions of(int version) {
		return new Versions(version, version);
	}

	/** Reads a range as {@link #toString} writes it; {@code null} for any other text. */
	public static @Nullable Versions parse(String text) {
		Matcher range = TEXT.matcher(text);
		if (!range.matches()) {
			return null;
		}
		int oldest = Integer.parseInt(range.group(1));
		String newest = range.group(2);
		if (newest == null) {
			return of(oldest);
		}
		return (oldest <= Integer.parseInt(newest)) ? new Versions(oldest, Integer.parseInt(newest)) : null;
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

	/** {@code 6-7}, or {@code 6} for a range of one version. */
	@Override
	public String toString() {
		return (this.oldest == this.newest) ? Integer.toString(this.oldest) : this.oldest + "-" + this.newest;
	}

}
