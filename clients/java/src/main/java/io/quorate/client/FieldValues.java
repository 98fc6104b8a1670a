package io.quorate.client;

import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/** The values of header fields that callers give. */
final class FieldValues {

	private static final int LONGEST_MEDIA_TYPE = 255;

	private static final Pattern VISIBLE = Pattern.compile("[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?");

	private FieldValues() {
	}

	/*
	 * Without a version it would be no condition, and a write would overwrite any value.
	 */
	static List<String> etags(String... etags) {
		if (etags.length == 0) {
			throw new IllegalArgumentException("a condition names at least one etag");
		}
		List<String> named = List.of(etags);
		named.forEach(FieldValues::checkEtag);
		return named;
	}

	static void checkEtag(String etag) {
		Objects.requireNonNull(etag, "an etag is text in quotes, not null");
		if (!VISIBLE.matcher(etag).matches()) {
			throw new IllegalArgumentException("an etag is text in quotes, as a node has sent it");
		}
	}

	static void checkMediaType(String type) {
		Objects.requireNonNull(type, "a content type is text, not null");
		if (type.length() > LONGEST_MEDIA_TYPE || !VISIBLE.matcher(type).matches()) {
			throw new IllegalArgumentException("a content type has 1 to " + LONGEST_MEDIA_TYPE
					+ " visible ASCII characters, and spaces between them");
		}
	}

}
