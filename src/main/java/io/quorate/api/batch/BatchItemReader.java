package io.quorate.api.batch;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;

import io.quorate.api.problem.ProblemException;
import io.quorate.api.request.BatchOperation;
import io.quorate.api.request.ConsistencyParameters;
import io.quorate.api.request.ContentTypeField;
import io.quorate.api.request.EntityTags;
import io.quorate.api.request.IdempotencyKeyField;
import io.quorate.api.request.Preconditions;
import io.quorate.api.request.RawQuery;
import io.quorate.api.request.TimeToLive;
import io.quorate.api.request.WholeNumber;
import io.quorate.clock.TimeSource;
import io.quorate.entry.Condition;
import io.quorate.entry.ContentType;
import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads the items of one batch from its lines. Jackson finds the members, and reads none
 * of the strings: it would make characters of them, which take twice the memory of their
 * bytes. Used by one thread at a time.
 */
final class BatchItemReader {

	/**
	 * Size from which on a line is read apart: to read so many bytes takes an event loop
	 * about a millisecond.
	 */
	static final int LARGE_BYTES = 64 * 1024;

	/* Of any member but a value. */
	private static final int MOST_TEXT_BYTES = 16 * 1024;

	private static final JsonFactory JSON = new JsonFactory();

	private static final int MOST_SHOWN = 32;

	private static final int DECODED_AT_ONCE = 1024;

	private final BatchLines lines;

	private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();

	private final CharBuffer decoded = CharBuffer.allocate(DECODED_AT_ONCE);

	private final Executor apart;

	private final TimeSource time;

	private BatchOperation operation = BatchOperation.INVALID;

	/**
	 * A reader of these lines.
	 * @param apart threads for large lines, which serve no connections
	 * @param time clock by which an expiry is in the future
	 */
	BatchItemReader(BatchLines lines, Executor apart, TimeSource time) {
		this.lines = lines;
		this.apart = apart;
		this.time = time;
	}

	/** The threads for large lines. */
	Executor apart() {
		return this.apart;
	}

	/** Whether a line is more work than an event loop does in a turn. */
	boolean isLarge(int line) {
		return sizeBytes(line) > LARGE_BYTES;
	}

	/** Number of bytes of a line. */
	int sizeBytes(int line) {
		return this.lines.to(line) - this.lines.from(line);
	}

	/** Number of lines. */
	int count() {
		return this.lines.count();
	}

	/** The operation of the line that was read last, as far as it was understood. */
	BatchOperation operation() {
		return this.operation;
	}

	/** Begins with another line, of which no operation is known. */
	void begin() {
		this.operation = BatchOperation.INVALID;
	}

	/**
	 * Reads a line, once.
	 * @throws ProblemException 400 when it is no item
	 */
	BatchItem read(int line) {
		begin();
		byte[] bytes = this.lines.body();
		int from = this.lines.from(line);
		int to = this.lines.to(line);
		requireObject(bytes, from, to);
		requireUtf8(ByteBuffer.wrap(bytes, from, to - from));
		return item(members(bytes, from, to));
	}

	/* Jackson takes a text with a zero byte at its beginning for UTF-16. */
	private static void requireObject(byte[] bytes, int from, int to) {
		if (bytes[from] != '{' || from + 1 == to || bytes[from + 1] == 0) {
			throw notReadable("it is no JSON object; each line is one item");
		}
	}

	private void requireUtf8(ByteBuffer line) {
		this.decoder.reset();
		boolean isDone = false;
		while (!isDone) {
			CoderResult result = this.decoder.decode(line, this.decoded.clear(), true);
			if (result.isError()) {
				throw notReadable("it is not UTF-8");
			}
			isDone = result.isUnderflow();
		}
	}

	private static ProblemException notReadable(String why) {
		return ProblemException.badRequest("the line cannot be read: " + why);
	}

	private static Members members(byte[] bytes, int from, int to) {
		Members members = new Members(bytes);
		try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), bytes, from, to - from)) {
			parser.nextToken();
			while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
				members.add(parser, from);
			}
			if (parser.nextToken() != null) {
				throw notReadable("there is something behind its object; each line is one item");
			}
		}
		catch (StreamConstraintsException _) {
			throw notReadable("its object is nested too deeply, or has too long a name or number");
		}
		catch (JacksonException noJson) {
			throw notReadable(noJson.getOriginalMessage() + place(noJson.getLocation()));
		}
		return members;
	}

	private static String place(@Nullable TokenStreamLocation found) {
		return (found != null) ? ", at byte " + found.getByteOffset() : "";
	}

	private BatchItem item(Members members) {
		String op = members.operation();
		this.operation = switch (op) {
			case "put" -> BatchOperation.PUT;
			case "get" -> BatchOperation.GET;
			case "delete" -> BatchOperation.DELETE;
			case "touch" -> BatchOperation.TOUCH;
			default -> throw ProblemException
				.badRequest("member 'op' is '%s': it is put, get, touch or delete".formatted(shortened(op)));
		};
		members.requireOf(this.operation);
		Key key = members.key();
		return switch (this.operation) {
			case PUT -> put(key, members);
			case DELETE -> delete(key, members);
			case TOUCH -> touch(key, members);
			default -> new BatchItem.Get(key, members.preconditions(), members.isLinearizable());
		};
	}

	private BatchItem put(Key key, Members members) {
		JsonText value = members.text(BatchMember.VALUE);
		JsonText text = members.text(BatchMember.TEXT);
		if ((value == null) == (text == null)) {
			throw ProblemException
				.badRequest((value == null) ? "there is no value: a put has 'text', or 'value' in base64"
						: "member 'value' stands beside 'text': send one of them");
		}
		BatchItem.RawValue raw = (value != null) ? new BatchItem.RawValue(value, true)
				: new BatchItem.RawValue(Objects.requireNonNull(text), false);
		Condition condition = members.condition();
		String once = members.once(condition);
		return new BatchItem.Put(key, raw, members.contentType(),
				members.ttl(this.time, condition != null && !condition.isNone()), condition, once);
	}

	private static BatchItem delete(Key key, Members members) {
		Condition condition = members.condition();
		return new BatchItem.Delete(key, condition, members.once(condition));
	}

	private static BatchItem touch(Key key, Members members) {
		boolean _ = members.isLinearizable();
		return new BatchItem.Touch(key, members.ttlOfTouch(),
				Preconditions.ofTouch(members.tags(BatchMember.IF_MATCH)));
	}

	private static String shortened(String text) {
		return (text.length() <= MOST_SHOWN) ? text : text.substring(0, MOST_SHOWN) + "...";
	}

	/** The members of one line. */
	private static final class Members {

		private final byte[] bytes;

		/* Those with null as their value, too. */
		private final Set<BatchMember> members = EnumSet.noneOf(BatchMember.class);

		/* Of strings the place of their first quote. */
		private final Map<BatchMember, Integer> quotes = new EnumMap<>(BatchMember.class);

		private final Map<BatchMember, String> others = new EnumMap<>(BatchMember.class);

		private Members(byte[] bytes) {
			this.bytes = bytes;
		}

		/** Takes in the member at whose name the parser is, and passes its value. */
		private void add(JsonParser parser, int from) {
			String name = parser.currentName();
			BatchMember member = BatchMember.of(name);
			if (member == null) {
				throw unknown(name);
			}
			if (!this.members.add(member)) {
				throw ProblemException.badRequest("member '%s' must stand only once".formatted(name));
			}
			JsonToken token = parser.nextToken();
			if (token == JsonToken.VALUE_STRING) {
				this.quotes.put(member, from + (int) parser.currentTokenLocation().getByteOffset());
			}
			else if (token != JsonToken.VALUE_NULL) {
				this.others.put(member, token.isScalarValue() ? parser.getString() : token.asString());
				parser.skipChildren();
			}
		}

		private static ProblemException unknown(String name) {
			String meant = RawQuery.meant(name, BatchMember.words());
			return ProblemException
				.badRequest((meant != null) ? "member '%s' is unknown: did you mean '%s'?".formatted(name, meant)
						: "member '%s' is unknown: an item has %s".formatted(shortened(name), BatchMember.listed()));
		}

		private void requireOf(BatchOperation operation) {
			for (BatchMember member : BatchMember.values()) {
				boolean hasValue = this.quotes.containsKey(member) || this.others.containsKey(member);
				if (hasValue && !member.isOf(operation)) {
					throw ProblemException
						.badRequest("a %s has no member '%s'".formatted(operation.word(), member.word()));
				}
				if (!hasValue && member.isRestriction() && this.members.contains(member)) {
					throw ProblemException.badRequest(
							"member '%s' is null: leave it out, or send what it is to be".formatted(member.word()));
				}
			}
		}

		/** Takes out a string, because its escapes can be resolved only once. */
		private @Nullable JsonText text(BatchMember member) {
			String other = this.others.get(member);
			if (other != null) {
				throw ProblemException
					.badRequest("member '%s' is %s: it is a string".formatted(member.word(), shortened(other)));
			}
			Integer quote = this.quotes.remove(member);
			return (quote != null) ? JsonText.at(member.word(), this.bytes, quote) : null;
		}

		private @Nullable JsonText shortText(BatchMember member) {
			JsonText text = text(member);
			if (text != null && text.sizeBytes() > MOST_TEXT_BYTES) {
				throw ProblemException.badRequest("member '%s' has %d bytes: it may have %d".formatted(member.word(),
						text.sizeBytes(), MOST_TEXT_BYTES));
			}
			return text;
		}

		/* A line of a range has none: it is written as it was read. */
		private String operation() {
			JsonText op = shortText(BatchMember.OP);
			if (op != null) {
				return op.toString();
			}
			if (!this.quotes.containsKey(BatchMember.VALUE) && !this.quotes.containsKey(BatchMember.TEXT)) {
				throw ProblemException.badRequest(
						"member 'op' is missing: it is put, get, touch or delete, and put in a line with 'value' or 'text'");
			}
			return BatchOperation.PUT.word();
		}

		private Key key() {
			Key key = key(BatchMember.KEY);
			Key id = key(BatchMember.ID);
			if (key != null && id != null && !key.equals(id)) {
				throw ProblemException.badRequest("member 'key' stands beside another 'id': send one of them");
			}
			if (key != null) {
				return key;
			}
			if (id == null) {
				throw ProblemException
					.badRequest("member 'key' is missing: it is a key of 1 to %d bytes".formatted(Key.MAX_SIZE_BYTES));
			}
			return id;
		}

		private @Nullable Key key(BatchMember member) {
			JsonText key = shortText(member);
			if (key == null) {
				return null;
			}
			int size = key.sizeBytes();
			if (size == 0 || size > Key.MAX_SIZE_BYTES) {
				throw ProblemException.badRequest("member '%s' is %s: a key has 1 to %d bytes".formatted(member.word(),
						(size == 0) ? "empty" : size + " bytes long", Key.MAX_SIZE_BYTES));
			}
			return Key.wrap(key.utf8());
		}

		private @Nullable Duration ttl(TimeSource time, boolean isConditional) {
			JsonText expires = shortText(BatchMember.EXPIRES);
			Duration ttl = seconds(isConditional);
			if (expires != null && ttl != null) {
				throw ProblemException.badRequest("member 'ttl' stands beside 'expires': send one of them");
			}
			return (expires != null) ? TimeToLive.until("member 'expires'", expires.toString(), time) : ttl;
		}

		private @Nullable Duration seconds(boolean isConditional) {
			if (this.quotes.containsKey(BatchMember.TTL)) {
				JsonText word = shortText(BatchMember.TTL);
				if (word == null || !word.toString().equals("keep")) {
					throw ProblemException
						.badRequest("member 'ttl' is a string: it is a number of seconds, or \"keep\"");
				}
				return TimeToLive.kept("member 'ttl'", isConditional);
			}
			return number();
		}

		private Duration ttlOfTouch() {
			Duration ttl = number();
			if (ttl == null) {
				throw ProblemException
					.badRequest("a touch renews the time to live: name it by member 'ttl', a number of seconds");
			}
			return ttl;
		}

		private @Nullable Duration number() {
			String seconds = this.others.get(BatchMember.TTL);
			return (seconds != null) ? TimeToLive.seconds("member 'ttl'", shortened(WholeNumber.ofJson(seconds)))
					: null;
		}

		private @Nullable ContentType contentType() {
			JsonText type = shortText(BatchMember.CONTENT_TYPE);
			return (type != null) ? ContentTypeField.parse("member 'contentType'", type.toString()) : null;
		}

		private @Nullable Condition condition() {
			return preconditions().ofWrite(isLinearizable());
		}

		private @Nullable String once(@Nullable Condition condition) {
			JsonText key = shortText(BatchMember.IDEMPOTENCY_KEY);
			if (key == null) {
				return null;
			}
			// When it is sent again less time is left: that would be another request.
			if (this.quotes.containsKey(BatchMember.EXPIRES)) {
				throw ProblemException.badRequest(
						"member 'idempotencyKey' stands beside 'expires': a write that may be repeated has a 'ttl'");
			}
			return IdempotencyKeyField.of("member 'idempotencyKey'", List.of(key.toString()), condition);
		}

		private Preconditions preconditions() {
			return Preconditions.ofVersions(tags(BatchMember.IF_MATCH), tags(BatchMember.IF_NONE_MATCH));
		}

		private @Nullable EntityTags tags(BatchMember member) {
			JsonText text = shortText(member);
			return (text != null) ? EntityTags.parse("member '%s'".formatted(member.word()), List.of(text.toString()))
					: null;
		}

		private boolean isLinearizable() {
			JsonText word = shortText(BatchMember.CONSISTENCY);
			return ConsistencyParameters.isLinearizable("member 'consistency'",
					(word != null) ? word.toString() : null);
		}

	}

}
