package io.quorate.client;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/** The meanings of answers: results of calls, and errors. */
final class Answers {

	static final int OK = 200;

	private static final int CREATED = 201;

	private static final int ACCEPTED = 202;

	private static final int PARTIAL = 206;

	private static final int NOT_MODIFIED = 304;

	private static final int ABSENT = 404;

	private static final Pattern CONTENT_RANGE = Pattern.compile("bytes (\\d{1,18})-(\\d{1,18})/(\\d{1,18})");

	private Answers() {
	}

	static Written written(Answer answer, int status) {
		if (answer.status() != status) {
			throw Problems.errorOf(answer, false);
		}
		String etag = answer.required("etag");
		if (answer.field("idempotency-replayed") == null) {
			return new Written(etag);
		}
		String current = answer.required("quorate-current");
		return new Written(etag, true, current.equals("none") ? null : current);
	}

	static Written put(Answer answer) {
		return written(answer, CREATED);
	}

	static Written deleted(Answer answer) {
		return written(answer, ACCEPTED);
	}

	static Optional<Touched> touched(String key, Answer answer) {
		if (answer.status() != OK) {
			absent(key, answer);
			return Optional.empty();
		}
		return Optional.of(new Touched(answer.required("etag"), answer.date("expires")));
	}

	static ReadResult read(Get get, Answer answer) {
		if (answer.status() == NOT_MODIFIED && !get.ifNoneMatch().isEmpty()) {
			return new NotModified(answer.required("etag"), answer.date("expires"));
		}
		if (answer.status() == OK) {
			return whole(get.key(), answer);
		}
		return absent(get.key(), answer);
	}

	static Optional<Entity> entity(String key, Answer answer) {
		return (read(Get.of(key), answer) instanceof Entity entity) ? Optional.of(entity) : Optional.empty();
	}

	static boolean isAbsent(String key, Answer answer) {
		return answer.status() != NOT_MODIFIED && metadata(key, answer).isEmpty();
	}

	static Optional<Metadata> metadata(String key, Answer answer) {
		if (answer.status() == OK) {
			return Optional.of(metadata(key, answer.number("content-length"), answer));
		}
		QuorateException error = Problems.errorOf(answer, true);
		// Only a node can say that there is no value; a proxy that knows no such path
		// says 404, too.
		if (answer.status() == ABSENT && "no-store".equals(answer.field("cache-control"))) {
			return Optional.empty();
		}
		throw error;
	}

	static Optional<Entity> part(String key, ByteRange part, Answer answer) {
		if (answer.status() == OK) {
			return Optional.of(whole(key, answer));
		}
		if (answer.status() != PARTIAL) {
			absent(key, answer);
			return Optional.empty();
		}
		checkEnd(answer);
		Matcher range = CONTENT_RANGE.matcher(answer.required("content-range"));
		if (!range.matches()) {
			throw answer.invalid("with a Content-Range that is none");
		}
		long first = Long.parseLong(range.group(1));
		long end = Long.parseLong(range.group(2)) + 1;
		long size = Long.parseLong(range.group(3));
		if (end - first != answer.body().length || end > size) {
			throw answer.invalid("with " + answer.body().length + " bytes of the part " + range.group());
		}
		if (first != part.first(size) || end != part.end(size)) {
			throw answer.invalid("with another part");
		}
		return Optional.of(new Entity(metadata(key, size, answer), answer.body(), first));
	}

	static NodeStatus status(Answer answer) {
		if (answer.status() != OK) {
			throw Problems.errorOf(answer, false);
		}
		Members members = Members.of(answer, answer.body());
		return new NodeStatus(answer.node(), members.text("node"), members.text("cluster"), members.text("version"),
				members.text("state"));
	}

	/**
	 * Returns the outcome of an item of a batch.
	 * @param line the line of the answer
	 */
	static ItemResult item(Item item, Answer answer, byte[] line) {
		Members members = Members.of(answer, line);
		int status = (int) Math.min(999, members.number("status"));
		if (item instanceof Get get) {
			return readItem(get, status, answer, members);
		}
		if (status == ((item instanceof Delete) ? ACCEPTED : CREATED)) {
			return new Written(members.text("etag"));
		}
		QuorateException error = problemOfItem(answer, status, members);
		return new FailedItem(error.problem()
			.filter(Problems::leavesOutcomeUnknown)
			.<QuorateException>map((problem) -> new OutcomeUnknownException(message(error), false, problem, error))
			.orElse(error));
	}

	private static ItemResult readItem(Get get, int status, Answer answer, Members members) {
		if (status == OK) {
			byte[] value = members.bytes("value");
			return new Entity(new Metadata(get.key(), members.text("etag"), value.length,
					members.text("contentType", Metadata.OCTETS), null, members.expires()), value, 0);
		}
		if (status == NOT_MODIFIED && !get.ifNoneMatch().isEmpty()) {
			return new NotModified(members.text("etag"), members.expires());
		}
		QuorateException error = problemOfItem(answer, status, members);
		return isAbsence(error) ? new NoValue(get.key()) : new FailedItem(error);
	}

	private static QuorateException problemOfItem(Answer answer, int status, Members members) {
		Map<String, Object> problem = members.object("problem");
		if (status < 400 || problem == null) {
			throw answer.invalid("with an item of the unexpected status " + status);
		}
		if (members.has(Problems.ABSENT_VERSION)) {
			problem.put(Problems.ABSENT_VERSION, members.text(Problems.ABSENT_VERSION));
		}
		return Problems.error(new Problem(answer.node(), status, problem, null));
	}

	private static NoValue absent(String key, Answer answer) {
		QuorateException error = Problems.errorOf(answer, false);
		if (isAbsence(error)) {
			return new NoValue(key);
		}
		throw error;
	}

	private static boolean isAbsence(QuorateException error) {
		return error.problem()
			.filter((problem) -> problem.status() == ABSENT && problem.type().equals(Problems.NOT_FOUND))
			.isPresent();
	}

	private static Entity whole(String key, Answer answer) {
		checkEnd(answer);
		return new Entity(metadata(key, answer.body().length, answer), answer.body(), 0);
	}

	/*
	 * The end of a connection is no end of an answer. It is one for the JDK with any
	 * encoding but that of chunks alone; and of a length beside chunks it takes the
	 * length.
	 */
	private static void checkEnd(Answer answer) {
		List<String> lengths = answer.fields("content-length");
		List<String> encodings = answer.fields("transfer-encoding");
		if (lengths.size() + encodings.size() > 1) {
			throw answer.invalid("with more than one end");
		}
		if (!lengths.isEmpty()) {
			if (answer.number("content-length") != answer.body().length) {
				throw answer.invalid("with " + answer.body().length + " bytes of another number");
			}
		}
		else if (encodings.isEmpty() || !encodings.get(0).equalsIgnoreCase("chunked")) {
			throw answer.invalid("whose end cannot be distinguished from a lost connection");
		}
	}

	private static Metadata metadata(String key, long size, Answer answer) {
		String type = answer.field("content-type");
		return new Metadata(key, answer.required("etag"), size, (type != null) ? type : Metadata.OCTETS,
				answer.date("last-modified"), answer.date("expires"));
	}

	/**
	 * Refuses an answer whose body the client does not understand.
	 * @throws InvalidAnswerException if it is encoded
	 */
	static void checkEncoding(Answer head) {
		String encoding = head.field("content-encoding");
		if (encoding != null && !encoding.toLowerCase(Locale.ROOT).equals("identity")) {
			throw head.invalid("is encoded, without having been asked to be");
		}
	}

	static String message(@Nullable Throwable error) {
		String message = (error != null) ? error.getMessage() : null;
		return (message != null) ? message : String.valueOf(error);
	}

}
