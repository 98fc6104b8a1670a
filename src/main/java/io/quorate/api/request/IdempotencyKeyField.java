package io.quorate.api.request;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.TreeSet;

import io.quorate.api.problem.ProblemException;
import io.quorate.coordinator.Content;
import io.quorate.entry.Condition;
import io.quorate.entry.IdempotencyKey;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * The field {@code Idempotency-Key} of a conditional write, 1 to 64 visible characters: a
 * client that sends the same request with the same key again gets the answer of the first
 * one (draft-ietf-httpapi-idempotency-key-header).
 */
public final class IdempotencyKeyField {

	private static final String NAME = "Idempotency-Key";

	private static final int MOST_CHARACTERS = 64;

	private IdempotencyKeyField() {
	}

	/**
	 * The key of a request, {@code null} for none.
	 * @param condition condition of the write, {@code null} for a plain write
	 * @throws ProblemException 400 when it is not well-formed, or the write has no
	 * condition
	 */
	public static @Nullable String of(HttpHeaders headers, @Nullable Condition condition) {
		List<String> values = headers.getOrEmpty(NAME);
		if (values.isEmpty()) {
			return null;
		}
		return of(NAME, values, condition);
	}

	/**
	 * Reads the key of a write.
	 * @param what its name, for the message
	 * @param values all that stand under that name, at least one
	 * @param condition as in {@link #of(HttpHeaders, Condition)}
	 * @throws ProblemException 400 as there
	 */
	public static String of(String what, List<String> values, @Nullable Condition condition) {
		String key = values.getFirst();
		if (values.size() > 1 || key.isEmpty() || key.length() > MOST_CHARACTERS
				|| !key.chars().allMatch((each) -> each > ' ' && each < 0x7f)) {
			throw ProblemException.badRequest("%s is one word of 1 to 64 visible ASCII characters".formatted(what));
		}
		if (condition == null || !isMetOnce(condition)) {
			throw ProblemException.badRequest(
					"%s stands beside If-Match with versions, or If-None-Match: *, so that a write that is repeated late does not replace what came after it"
						.formatted(what));
		}
		return key;
	}

	/* What the write itself does ends the condition. */
	private static boolean isMetOnce(Condition condition) {
		Condition.Versions match = condition.match();
		Condition.Versions noneMatch = condition.noneMatch();
		return (match != null && !match.isAny()) || (noneMatch != null && noneMatch.isAny());
	}

	/**
	 * Requires that a request has no key, because it would be ignored.
	 * @param remedy where it belongs
	 * @throws ProblemException 400 when it has one
	 */
	public static void refuse(HttpHeaders headers, String remedy) {
		if (headers.containsHeader(NAME)) {
			throw ProblemException.badRequest("Idempotency-Key has no meaning here: " + remedy);
		}
	}

	/**
	 * The condition of a write that is done once.
	 * @param principal name of the client, whose keys are its own
	 * @param content value that is written, {@code null} for a deletion
	 */
	public static Condition once(Condition condition, String key, String principal, @Nullable Content content) {
		String terms = text(condition.match()) + " " + text(condition.noneMatch())
				+ ((content != null) ? " put " + content.ttl() + " " + content.contentType() : " delete");
		byte[] value = (content != null) ? content.value().array() : new byte[0];
		return condition.once(new IdempotencyKey(hash(bytes(principal), bytes(key)), hash(bytes(terms), value)));
	}

	/* The order of a set is not the same on each node. */
	private static String text(Condition.@Nullable Versions versions) {
		return (versions == null) ? "-" : versions.isAny() ? "*" : new TreeSet<>(versions.named()).toString();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static long hash(byte[] first, byte[] then) {
		try {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, first.length));
			digest.update(first);
			return ByteBuffer.wrap(digest.digest(then)).getLong();
		}
		catch (NoSuchAlgorithmException missing) {
			throw new IllegalStateException("every Java has SHA-256", missing);
		}
	}

}
