package io.quorate.api.problem;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The problem document that a client receives about an error (RFC 9457).
 *
 * @param type the kind of problem
 * @param status the status of the answer, which is that of its type
 * @param detail the fault and its remedy, for people
 * @param members further members of the document, in their order
 * @param headers header fields that go with the answer
 */
public record Problem(ProblemType type, int status, String detail, Map<String, @Nullable Object> members,
		Map<String, String> headers) {

	/** The media type of problem documents. */
	public static final String MEDIA_TYPE = "application/problem+json";

	/** A problem without further members and headers. */
	public static Problem of(ProblemType type, String detail) {
		return new Problem(type, type.status(), detail, Map.of(), Map.of());
	}

	/** A request that says something wrong: 400. */
	public static Problem badRequest(String detail) {
		return of(ProblemType.BAD_REQUEST, detail);
	}

	/** The same problem, of an answer that has another status already. */
	public Problem withStatus(int answered) {
		return new Problem(this.type, answered, this.detail, this.members, this.headers);
	}

	/** The same problem, with one more header field. */
	public Problem withHeader(String field, String value) {
		Map<String, String> more = new LinkedHashMap<>(this.headers);
		more.put(field, value);
		return new Problem(this.type, this.status, this.detail, this.members, more);
	}

	/**
	 * The same problem, with one more member of the document.
	 * @param value its value, {@code null} for that of JSON
	 */
	public Problem withMember(String member, @Nullable Object value) {
		Map<String, @Nullable Object> more = new LinkedHashMap<>(this.members);
		more.put(member, value);
		return new Problem(this.type, this.status, this.detail, more, this.headers);
	}

	/**
	 * The document, with a line break behind it: in a terminal the prompt stands below.
	 * @param path path of the request, which becomes {@code instance}; never with its
	 * query or the key in it, because keys do not belong into logs of errors;
	 * {@code null} when the request could not be read
	 */
	public byte[] toJson(@Nullable String path) {
		return (JsonMapper.shared().writeValueAsString(document(path)) + '\n').getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * The members of the document, in their order.
	 * @param path as in {@link #toJson}
	 */
	public Map<String, @Nullable Object> document(@Nullable String path) {
		Map<String, @Nullable Object> document = new LinkedHashMap<>();
		document.put("type", this.type.urn());
		document.put("title", this.type.title());
		document.put("status", this.status);
		document.put("detail", this.detail);
		if (path != null) {
			document.put("instance", path);
		}
		document.putAll(this.members);
		return document;
	}

}
