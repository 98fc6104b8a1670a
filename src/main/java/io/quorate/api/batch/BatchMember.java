package io.quorate.api.batch;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.quorate.api.request.BatchOperation;
import org.jspecify.annotations.Nullable;

/** The members of an item of a batch. One that is not listed is refused. */
public enum BatchMember {

	/** The operation. */
	OP("op", BatchOperation.PUT, BatchOperation.GET, BatchOperation.DELETE, BatchOperation.TOUCH),

	/** The key. */
	KEY("key", BatchOperation.PUT, BatchOperation.GET, BatchOperation.DELETE, BatchOperation.TOUCH),

	/** The key, by the name that the parameter of a single request has. */
	ID("id", BatchOperation.PUT, BatchOperation.GET, BatchOperation.DELETE, BatchOperation.TOUCH),

	/** The value as base64. */
	VALUE("value", BatchOperation.PUT),

	/** The value as text. */
	TEXT("text", BatchOperation.PUT),

	/** The time to live in seconds. */
	TTL("ttl", BatchOperation.PUT, BatchOperation.TOUCH),

	/** The instant at which the value expires, as a range has it. */
	EXPIRES("expires", BatchOperation.PUT),

	/** The version that the value had in a range; not looked at. */
	ETAG("etag", BatchOperation.PUT),

	/** The media type of the value. */
	CONTENT_TYPE("contentType", BatchOperation.PUT),

	/** The versions of which the present one must be one. */
	IF_MATCH("ifMatch", BatchOperation.PUT, BatchOperation.GET, BatchOperation.DELETE, BatchOperation.TOUCH),

	/** The versions of which the present one must be none. */
	IF_NONE_MATCH("ifNoneMatch", BatchOperation.PUT, BatchOperation.GET, BatchOperation.DELETE),

	/** Whether the item is linearizable. */
	CONSISTENCY("consistency", BatchOperation.PUT, BatchOperation.GET, BatchOperation.DELETE, BatchOperation.TOUCH),

	/** The key by which a write may be repeated. */
	IDEMPOTENCY_KEY("idempotencyKey", BatchOperation.PUT, BatchOperation.DELETE);

	private static final Map<String, BatchMember> BY_WORD = Arrays.stream(values())
		.collect(Collectors.toUnmodifiableMap(BatchMember::word, Function.identity()));

	private final String word;

	@SuppressWarnings("ImmutableEnumChecker") // Never changed.
	private final Set<BatchOperation> operations;

	BatchMember(String word, BatchOperation... operations) {
		this.word = word;
		this.operations = EnumSet.copyOf(Arrays.asList(operations));
	}

	/** Returns the member of this name, {@code null} if there is none. */
	static @Nullable BatchMember of(String word) {
		return BY_WORD.get(word);
	}

	/** The names of all members. */
	public static Set<String> words() {
		return BY_WORD.keySet();
	}

	/** The names of all members, for people. */
	static String listed() {
		return Arrays.stream(values()).map(BatchMember::word).collect(Collectors.joining(", "));
	}

	/** Its name. */
	String word() {
		return this.word;
	}

	/**
	 * Whether it restricts what an item does: {@code null} in its place is a mistake, and
	 * would be an item without the restriction.
	 */
	boolean isRestriction() {
		return this == IF_MATCH || this == IF_NONE_MATCH || this == CONSISTENCY || this == IDEMPOTENCY_KEY;
	}

	/** Whether items of an operation may have it. */
	boolean isOf(BatchOperation operation) {
		return this.operations.contains(operation);
	}

}
