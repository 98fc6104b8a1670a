package io.quorate.api.problem;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The problem document that a client receives about an error (RFC 9457).
 *
 * @param name stable name of the kind of problem; its {@code type} is
 * {@code urn:quorate:problem:<name>}
 * @param status the HTTP status
 * @param title the kind of problem in words, the same for each problem of the kind
 * @param detail the fault and its remedy, for people
 * @param members further members of the document, in their order
 * @param headers header fields that go with the answer
 */
public record Problem(String name, int status, String title, String detail, Map<String, Object> members,
		Map<String, String> headers) {

	/** The media type of problem documents. */
	public static final String MEDIA_TYPE = "application/problem+json";

	private static final String TYPE_PREFIX = "urn:quorate:problem:";

	/** A problem without further members and headers. */
	public static Problem of(String name, int status, String title, String detail) {
		return new Problem(name, status, title, detail, Map.of(), Map.of());
	}

	/** A request that says something wrong: 400. */
	public static Problem badRequest(String detail) {
		return of("bad-request", 400, "Bad Request", detail);
	}

	/** The same problem, with one more header field. */
	public Problem withHeader(String field, String value) {
		Map<String, String> more = new LinkedHashMap<>(this.headers);
		more.put(field, value);
		return new Problem(this.name, this.status, this.title, this.detail, this.members, more);
	}

	/** The same problem, with one more member of the document. */
	public Problem withMember(String member, Object value) {
		Map<String, Object> more = new LinkedHashMap<>(this.members);
		more.put(member, value);
		return new Problem(this.name, this.status, this.title, this.detail, more, this.headers);
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
	public Map<String, Object> document(@Nullable String path) {
		Map<String, Object> document = new LinkedHashMap<>();
		document.put("type", TYPE_PREFIX + this.name);
		document.put("title", this.title);
		document.put("status", this.status);
		document.put("detail", this.detail);
		if (path != null) {
			document.put("instance", path);
		}
		document.putAll(this.members);
		return document;
	}

}
