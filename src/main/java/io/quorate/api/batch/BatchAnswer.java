package io.quorate.api.batch;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

import io.quorate.api.problem.Problem;
import io.quorate.api.request.EntityTag;
import io.quorate.api.request.Protocol;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.Touched;
import io.quorate.coordinator.Written;
import io.quorate.entry.Entry;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/**
 * The answer to one item of a batch.
 *
 * @param status status that a single request would get
 * @param version the version that was written or read, {@code null} if there is none
 * @param replayed what is known of a write that an earlier request has done, {@code null}
 * if there was none
 * @param expiryMillis instant from which on the value reads as absent, in milliseconds
 * since the epoch, or {@link Versioned#NEVER}
 * @param found the entry that was read, {@code null} if the answer has no value
 * @param problem the problem, {@code null} if there is none
 */
record BatchAnswer(int status, @Nullable Timestamp version, Written.@Nullable Replayed replayed, long expiryMillis,
		Entry.@Nullable Live found, @Nullable Problem problem) {

	/** Bytes of an answer without value, about. */
	static final int HEAD_BYTES = 128;

	private static final int PROBLEM_BYTES = 512;

	/** The answer to an item that has written. */
	static BatchAnswer of(HttpStatus status, Written written) {
		return new BatchAnswer(status.value(), written.timestamp(), written.replayed(), Versioned.NEVER, null, null);
	}

	/** The answer to an item whose client has the value. */
	static BatchAnswer unchanged(Entry.Live found) {
		return new BatchAnswer(304, found.version(), null, Versioned.NEVER, null, null);
	}

	/** The answer to an item that found a value. */
	static BatchAnswer of(Entry.Live found) {
		return new BatchAnswer(200, found.version(), null, found.expiryMillis(), found, null);
	}

	/** The answer to an item that has renewed a time to live. */
	static BatchAnswer of(Touched touched) {
		return new BatchAnswer(200, touched.version(), null, touched.expiryMillis(), null, null);
	}

	/** The answer to an item that ended with a problem. */
	static BatchAnswer of(Problem problem) {
		return new BatchAnswer(problem.status(), null, null, Versioned.NEVER, null, problem);
	}

	/** The value, {@code null} if there is none. */
	@Nullable Value value() {
		return (this.found != null) ? this.found.value() : null;
	}

	/** Number of bytes of the value, 0 if there is none. */
	int valueBytes() {
		return (this.found != null) ? this.found.value().size() : 0;
	}

	/** Number of bytes that the answer takes as a line, about. */
	long lineBytes() {
		return HEAD_BYTES + valueBytes() / 3 * 4L + ((this.problem != null) ? PROBLEM_BYTES : 0);
	}

	/** The members of the answer but for the value, in their order. */
	Map<String, @Nullable Object> members() {
		Map<String, @Nullable Object> members = new LinkedHashMap<>();
		members.put("status", this.status);
		if (this.version != null) {
			members.put("etag", EntityTag.of(this.version));
		}
		if (this.replayed != null) {
			Timestamp current = this.replayed.current();
			members.put("replayed", true);
			members.put("current", (current != null) ? EntityTag.of(current) : null);
		}
		if (this.found != null && this.found.contentType() != null) {
			members.put("contentType", this.found.contentType().toString());
		}
		if (this.expiryMillis != Versioned.NEVER) {
			members.put("expires", Instant.ofEpochMilli(this.expiryMillis).toString());
		}
		if (this.problem != null) {
			putField(this.problem, HttpHeaders.ETAG, "etag", members);
			putField(this.problem, Protocol.VERSION, "version", members);
			members.put("problem", this.problem.document(null));
		}
		return members;
	}

	/** The header field that the answer to a single request would have. */
	private static void putField(Problem problem, String field, String member, Map<String, @Nullable Object> members) {
		String value = problem.headers().get(field);
		if (value != null) {
			members.put(member, value);
		}
	}

}
