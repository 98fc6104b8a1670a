package io.quorate.api.problem;

/**
 * The kinds of problems. Each has one name, which clients compare, one status and one
 * title.
 */
public enum ProblemType {

	/** The request says something wrong, and the detail says what would be right. */
	BAD_REQUEST("bad-request", 400, "Bad Request"),

	/** Nothing is under a path of the protocol. */
	UNKNOWN_PATH("unknown-path", 400, "Bad Request"),

	/** The request has no valid credentials. */
	UNAUTHENTICATED("unauthenticated", 401, "Unauthenticated"),

	/** The sender has not the right. */
	FORBIDDEN("forbidden", 403, "Forbidden"),

	/** A page of another site has sent the request. */
	CROSS_ORIGIN("cross-origin", 403, "Cross-Origin"),

	/** There is no value under the key. */
	NOT_FOUND("not-found", 404, "Not Found"),

	/** Nothing is under a path outside of the protocol. */
	UNKNOWN_PAGE("unknown-page", 404, "Not Found"),

	/** The path does not have the method. */
	METHOD_NOT_ALLOWED("method-not-allowed", 405, "Method Not Allowed"),

	/** The client accepts none of the types of the answer. */
	NOT_ACCEPTABLE("not-acceptable", 406, "Not Acceptable"),

	/** The body came too slowly. */
	BODY_SLOW("body-slow", 408, "Request Timeout"),

	/** Others have written the key all the time. */
	CONTENDED("contended", 409, "Contended"),

	/** The changes since the cursor of a watch are not known any more. */
	CURSOR_LOST("cursor-lost", 410, "Cursor Lost"),

	/** The value is not the one that the client wants. */
	PRECONDITION_FAILED("precondition-failed", 412, "Precondition Failed"),

	/** A batch has more items than the limit. */
	TOO_MANY_ITEMS("too-many-items", 413, "Content Too Large"),

	/** The value, or the body of a batch, is larger than the limit. */
	VALUE_TOO_LARGE("value-too-large", 413, "Content Too Large"),

	/** The request line is longer than the limit. */
	REQUEST_LINE_TOO_LONG("request-line-too-long", 414, "URI Too Long"),

	/** The body is coded. */
	CONTENT_CODING("content-coding", 415, "Unsupported Media Type"),

	/** The value has none of the bytes that the client wants. */
	RANGE_NOT_SATISFIABLE("range-not-satisfiable", 416, "Range Not Satisfiable"),

	/** The request is meant for another host. */
	MISDIRECTED_REQUEST("misdirected-request", 421, "Misdirected Request"),

	/** Another request has had the idempotency key. */
	IDEMPOTENCY_KEY_REUSED("idempotency-key-reused", 422, "Idempotency Key Reused"),

	/** The key takes no write without a condition. */
	CONDITION_REQUIRED("condition-required", 428, "Precondition Required"),

	/** The sender has sent too many requests. */
	TOO_MANY_REQUESTS("too-many-requests", 429, "Too Many Requests"),

	/** The header fields are larger than the limit. */
	HEADERS_TOO_LARGE("headers-too-large", 431, "Request Header Fields Too Large"),

	/** The node has failed. */
	INTERNAL_ERROR("internal-error", 500, "Internal Server Error"),

	/** A bound was reached. */
	OVERLOADED("overloaded", 503, "Overloaded"),

	/** The node is about to stop. */
	DRAINING("draining", 503, "Draining"),

	/** The deadline may have passed before the request was seen. */
	LATE("late", 503, "Too Late"),

	/** The clock of the node cannot be used. */
	CLOCK("clock", 503, "Clock Not Usable"),

	/** Too few replicas have answered in time. */
	NOT_ENOUGH_REPLICAS("not-enough-replicas", 504, "Not Enough Replicas"),

	/** The disk has too little space. */
	DISK_FULL("disk-full", 507, "Insufficient Storage");

	private static final String URN = "urn:quorate:problem:";

	private final String word;

	private final int status;

	private final String title;

	ProblemType(String word, int status, String title) {
		this.word = word;
		this.status = status;
		this.title = title;
	}

	/** The member {@code type} of the document. */
	public String urn() {
		return URN + this.word;
	}

	/** The status of the answer. */
	public int status() {
		return this.status;
	}

	/** The member {@code title} of the document. */
	public String title() {
		return this.title;
	}

}
