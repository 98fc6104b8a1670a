package io.quorate.client;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * The error of a range that broke off before its last record, and that no node could
 * continue. The records that were read are correct. A later call continues behind
 * {@link #lastKey()}: with it followed by {@code "\0"} as the start, or with it as the
 * end if the range is reverse.
 */
public class IncompleteRangeException extends UnavailableException {

	private static final long serialVersionUID = 1;

	private final long records;

	private final @Nullable String lastKey;

	IncompleteRangeException(String message, long records, @Nullable String lastKey, @Nullable Throwable cause) {
		super(message, null, cause);
		this.records = records;
		this.lastKey = lastKey;
	}

	/** Returns the number of records before the end. */
	public long records() {
		return this.records;
	}

	/** Returns the key of the last record; it is empty if there was none. */
	public Optional<String> lastKey() {
		return Optional.ofNullable(this.lastKey);
	}

}
