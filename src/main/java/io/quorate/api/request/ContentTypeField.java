package io.quorate.api.request;

import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.quorate.api.problem.ProblemException;
import io.quorate.entry.ContentType;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;

/**
 * The header {@code Content-Type} of a value: kept as the client has sent it, and sent
 * back so. A value without one is {@code application/octet-stream}, and this type is not
 * stored.
 * <p>
 * A browser must not run a value as a part of this site. It shows the types that it
 * cannot run; values of all others are downloads.
 */
public final class ContentTypeField {

	private static final Set<String> SHOWN = Set.of(MediaType.APPLICATION_OCTET_STREAM_VALUE,
			MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_NDJSON_VALUE, MediaType.TEXT_PLAIN_VALUE,
			"text/csv", MediaType.IMAGE_PNG_VALUE, MediaType.IMAGE_JPEG_VALUE, MediaType.IMAGE_GIF_VALUE, "image/webp",
			"image/avif");

	private static final String ATTACHMENT = "attachment";

	private ContentTypeField() {
	}

	/**
	 * Returns the type that a request gives its value, {@code null} for none.
	 * @throws ProblemException 400 when it cannot be kept
	 */
	public static @Nullable ContentType of(HttpHeaders headers) {
		List<String> values = headers.getOrEmpty(HttpHeaders.CONTENT_TYPE);
		if (values.size() > 1) {
			throw ProblemException.badRequest("header Content-Type must stand only once");
		}
		return values.isEmpty() ? null : parse("header Content-Type", values.getFirst());
	}

	/**
	 * Returns the type that a text names, {@code null} for the one that values have
	 * anyway.
	 * @param what name of the text in a problem
	 * @throws ProblemException 400 when it cannot be kept
	 */
	public static @Nullable ContentType parse(String what, String text) {
		if (text.length() > ContentType.MAX_SIZE_BYTES) {
			throw ProblemException.badRequest("%s has %d characters: at most %d are kept".formatted(what, text.length(),
					ContentType.MAX_SIZE_BYTES));
		}
		if (!MediaTypeSyntax.matches(text)) {
			throw ProblemException.badRequest(("%s is no media type: send one in visible ASCII characters, "
					+ "such as text/plain; charset=utf-8, or none")
				.formatted(what));
		}
		return text.equals(MediaType.APPLICATION_OCTET_STREAM_VALUE) ? null : ContentType.of(text);
	}

	/** Describes a value by its type. */
	public static void describe(@Nullable ContentType contentType, HttpHeaders headers) {
		if (contentType == null) {
			headers.setContentType(MediaType.APPLICATION_OCTET_STREAM);
			return;
		}
		headers.set(HttpHeaders.CONTENT_TYPE, contentType.toString());
		if (!isShown(contentType.toString())) {
			headers.set(HttpHeaders.CONTENT_DISPOSITION, ATTACHMENT);
		}
	}

	/*
	 * A browser takes the last of several types, divided by commas. None can come from a
	 * client, but perhaps from a file.
	 */
	private static boolean isShown(String text) {
		if (text.indexOf(',') >= 0 || text.indexOf('"') >= 0) {
			return false;
		}
		int end = text.indexOf(';');
		String type = ((end < 0) ? text : text.substring(0, end)).strip().toLowerCase(Locale.ROOT);
		return SHOWN.contains(type) || type.startsWith("audio/") || type.startsWith("video/");
	}

}
