package io.quorate.api.request;

import java.util.HexFormat;

import io.quorate.clock.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * An entity tag (RFC 9110, 8.8.3). That of a version of ours is strong, and its timestamp
 * in its quotes, which clients only compare; others are well-formed, and name no version.
 *
 * @param quoted the tag in its quotes
 * @param isWeak whether it says that it is weak
 */
public record EntityTag(String quoted, boolean isWeak) {

	private static final int HYBRID_DIGITS = 2 * Long.BYTES;

	private static final int NODE_DIGITS = 2 * Integer.BYTES;

	/* The quotes and the dash. */
	private static final int LENGTH = HYBRID_DIGITS + NODE_DIGITS + 3;

	/** The tag of a version in its quotes. */
	public static String of(Timestamp version) {
		return "\"" + version + "\"";
	}

	/** The version that it names, {@code null} if it is none of ours. */
	@Nullable Timestamp version() {
		if (this.quoted.length() != LENGTH) {
			return null;
		}
		int dash = 1 + HYBRID_DIGITS;
		try {
			Timestamp version = new Timestamp(HexFormat.fromHexDigitsToLong(this.quoted, 1, dash),
					HexFormat.fromHexDigits(this.quoted, dash + 1, LENGTH - 1));
			// A version has one spelling.
			return this.quoted.equals(of(version)) ? version : null;
		}
		catch (NumberFormatException _) {
			return null;
		}
	}

}
