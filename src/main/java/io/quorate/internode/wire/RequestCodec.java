package io.quorate.internode.wire;

import io.netty.buffer.ByteBuf;
import io.quorate.clock.Timestamp;
import io.quorate.consensus.ConsensusCodec;
import io.quorate.entry.Entry;
import io.quorate.entry.ScanRange;
import io.quorate.internode.wire.Request.Envelope;
import io.quorate.replica.Origin;
import io.quorate.replica.PageRequest;
import io.quorate.storage.PageLimit;

/**
 * The encoding of a request:
 *
 * <pre>
 * type 1 | remaining ms 4 | sent us 8 | timestamp 12 | [fields] | body
 * </pre>
 *
 * The {@link Fields} are in no first message of a connection, whose layout does not
 * depend on what both nodes agree on: a handshake, or {@code candidate | handshake}.
 * <p>
 * The type comes first and is never reused, so that versions can be distinguished. The
 * parts of the body are in the order of the record's components; the limits of a read or
 * a page come before its keys, that of the reply first, with flags between limits and
 * keys: {@code 1} headers alone, {@code 2} in descending order, {@code 4} only of entries
 * above a number of arrival, whose 8 bytes follow. The bodies of a comparison are in
 * {@link ComparisonCodec}, those of a register in {@link RegisterCodec}, and that of a
 * request for arrivals in {@link ChangesCodec}. Only a write has the origin in front:
 * {@code 0} a client, {@code 1} a hint, {@code 2 | round 8} a stream, {@code 3} a repair.
 * A request about the layout has the bytes of {@link ConsensusCodec}.
 */
public final class RequestCodec {

	private static final int HELLO = 1;

	private static final int PING = 2;

	private static final int APPLY = 3;

	private static final int READ = 4;

	private static final int PAGE = 5;

	private static final int BEGIN = 6;

	private static final int COMPARE = 7;

	private static final int HEADERS = 8;

	private static final int FETCH = 9;

	private static final int COMPLETE = 10;

	private static final int LAYOUT = 13;

	/* Only as the first message of a connection. */
	private static final int JOIN = 14;

	private static final int SILENCE = 15;

	private static final int INTRODUCE = 16;

	private static final int PREPARE = 17;

	private static final int LOOK = 18;

	private static final int RELEASE = 19;

	private static final int HAND_OVER = 20;

	private static final int CHANGES = 21;

	private static final int HEADERS_ONLY = 1;

	private static final int DESCENDING = 2;

	private static final int ABOVE = 4;

	private static final int FROM_CLIENT = 0;

	private static final int FROM_HINT = 1;

	private static final int FROM_STREAM = 2;

	private static final int FROM_REPAIR = 3;

	private static final int HEADER_SIZE = 1 + Integer.BYTES + Long.BYTES + Timestamp.SIZE_BYTES;

	private RequestCodec() {
	}

	/** Number of bytes of a write, apart from fields. */
	public static int size(Request.Apply apply) {
		return HEADER_SIZE + Fields.NONE.size() + sizeOf(apply.origin()) + MessageWriter.sizeOf(apply.key())
				+ MessageWriter.sizeOf(apply.entry());
	}

	/** Number of bytes of a write that is handed over, apart from fields. */
	public static int size(Request.HandOver handOver) {
		Entry content = handOver.write().content();
		int large = (content != null) ? MessageWriter.sizeOf(content) - MessageWriter.sizeOfLast(content) : 0;
		return HEADER_SIZE + Fields.NONE.size() + RegisterCodec.size(handOver) + large;
	}

	/** Encodes a request. */
	public static Message encode(Envelope envelope) {
		Request request = envelope.request();
		int type = type(request);
		Fields fields = hasFields(type) ? Fields.of(envelope.trace(), envelope.layout()) : null;
		int fieldsSize = (fields != null) ? fields.size() : 0;
		MessageWriter to = new MessageWriter(HEADER_SIZE + fieldsSize + bodySize(request));
		to.put(type).putInt(envelope.remainingMillis()).putLong(envelope.sentMicros()).put(envelope.stamp());
		if (fields != null) {
			fields.write(to);
		}
		switch (request) {
			case Request.Hello hello -> HandshakeCodec.write(hello.handshake(), to);
			case Request.Ping ping -> HandshakeCodec.write(ping.dataStatus(), to.putLong(ping.physicalMillis()));
			case Request.Apply apply -> {
				put(apply.origin(), to);
				to.put(apply.key()).putLast(apply.entry());
			}
			case Request.Read read -> to.putInt(read.maxReplyBytes()).putInt(read.maxValueBytes()).put(read.key());
			case Request.Page page -> put(page, to);
			case Request.Changes(var changes) -> ChangesCodec.write(changes, to);
			case Request.Register register -> RegisterCodec.write(register, to);
			case Request.Comparison comparison -> ComparisonCodec.write(comparison, to);
			case Request.Layout(var layout) -> to.putRaw(ConsensusCodec.write(layout));
			case Request.Join(var handshake, var candidate) -> HandshakeCodec.write(handshake, to.put(candidate));
			case Request.Silence(var member) -> to.put(member);
			case Request.Introduce(var candidate) -> to.put(candidate);
		}
		return to.toMessage();
	}

	private static boolean hasFields(int type) {
		return type != HELLO && type != JOIN;
	}

	private static int type(Request request) {
		return switch (request) {
			case Request.Hello _ -> HELLO;
			case Request.Ping _ -> PING;
			case Request.Apply _ -> APPLY;
			case Request.Read _ -> READ;
			case Request.Page _ -> PAGE;
			case Request.Changes _ -> CHANGES;
			case Request.Prepare _ -> PREPARE;
			case Request.Look _ -> LOOK;
			case Request.Release _ -> RELEASE;
			case Request.HandOver _ -> HAND_OVER;
			case Request.Begin _ -> BEGIN;
			case Request.Compare _ -> COMPARE;
			case Request.Headers _ -> HEADERS;
			case Request.Fetch _ -> FETCH;
			case Request.Complete _ -> COMPLETE;
			case Request.Layout _ -> LAYOUT;
			case Request.Join _ -> JOIN;
			case Request.Silence _ -> SILENCE;
			case Request.Introduce _ -> INTRODUCE;
		};
	}

	private static int bodySize(Request request) {
		return switch (request) {
			case Request.Hello hello -> HandshakeCodec.size(hello.handshake());
			case Request.Ping _ -> Long.BYTES + HandshakeCodec.DATA_STATUS_SIZE;
			case Request.Apply apply ->
				sizeOf(apply.origin()) + MessageWriter.sizeOf(apply.key()) + MessageWriter.sizeOfLast(apply.entry());
			case Request.Read read -> 2 * Integer.BYTES + MessageWriter.sizeOf(read.key());
			case Request.Page page -> 4 * Integer.BYTES + 1 + ((page.page().above() != 0) ? Long.BYTES : 0)
					+ MessageWriter.sizeOf(page.page().range().start())
					+ MessageWriter.sizeOf(page.page().range().end());
			case Request.Changes(var changes) -> ChangesCodec.size(changes);
			case Request.Register register -> RegisterCodec.size(register);
			case Request.Comparison comparison -> ComparisonCodec.size(comparison);
			case Request.Layout(var layout) -> ConsensusCodec.write(layout).length;
			case Request.Join(var handshake, var candidate) ->
				MessageWriter.sizeOf(candidate) + HandshakeCodec.size(handshake);
			case Request.Silence(var member) -> MessageWriter.sizeOf(member);
			case Request.Introduce(var candidate) -> MessageWriter.sizeOf(candidate);
		};
	}

	private static int sizeOf(Origin origin) {
		return 1 + ((origin instanceof Origin.Stream) ? Long.BYTES : 0);
	}

	private static void put(Origin origin, MessageWriter to) {
		switch (origin) {
			case Origin.Client _ -> to.put(FROM_CLIENT);
			case Origin.Repair _ -> to.put(FROM_REPAIR);
			case Origin.Hint _ -> to.put(FROM_HINT);
			case Origin.Stream(var round) -> to.put(FROM_STREAM).putLong(round);
		}
	}

	private static Origin origin(MessageReader from) {
		int code = from.octet();
		return switch (code) {
			case FROM_CLIENT -> Origin.CLIENT;
			case FROM_REPAIR -> Origin.REPAIR;
			case FROM_HINT -> Origin.HINT;
			case FROM_STREAM -> new Origin.Stream(from.readLong());
			default -> throw new MalformedMessageException("unknown origin " + code);
		};
	}

	/**
	 * Reads a request.
	 * @throws MalformedMessageException when the bytes are no request
	 */
	public static Envelope decode(ByteBuf bytes) {
		return MessageReader.readAll(bytes, (from) -> {
			int type = from.octet();
			int remainingMillis = from.readInt();
			long sentMicros = from.readLong();
			Timestamp stamp = from.timestamp();
			Fields fields = hasFields(type) ? from.fields() : Fields.NONE;
			return new Envelope(remainingMillis, sentMicros, stamp, fields.trace(), fields.planned(), body(type, from));
		});
	}

	private static Request body(int type, MessageReader from) {
		return switch (type) {
			case HELLO -> new Request.Hello(HandshakeCodec.read(from));
			case PING -> new Request.Ping(from.readLong(), HandshakeCodec.dataStatus(from));
			case APPLY -> {
				Origin origin = origin(from);
				yield new Request.Apply(from.key(), from.entry(), origin);
			}
			case READ -> {
				int maxReplyBytes = from.readInt();
				int maxValueBytes = from.readInt();
				yield new Request.Read(from.key(), maxValueBytes, maxReplyBytes);
			}
			case PAGE -> page(from);
			case CHANGES -> ChangesCodec.request(from);
			case PREPARE -> RegisterCodec.prepare(from);
			case LOOK -> RegisterCodec.look(from);
			case RELEASE -> RegisterCodec.release(from);
			case HAND_OVER -> RegisterCodec.handOver(from);
			case BEGIN -> ComparisonCodec.begin(from);
			case COMPARE -> ComparisonCodec.compare(from);
			case HEADERS -> ComparisonCodec.headers(from);
			case FETCH -> ComparisonCodec.fetch(from);
			case COMPLETE -> new Request.Complete(ComparisonCodec.round(from));
			case LAYOUT -> new Request.Layout(ConsensusCodec.readRequest(from.rest()));
			case SILENCE -> new Request.Silence(from.text());
			case INTRODUCE -> new Request.Introduce(from.text());
			case JOIN -> {
				String candidate = from.text();
				yield new Request.Join(HandshakeCodec.read(from), candidate);
			}
			default -> throw new MalformedMessageException("unknown type of request " + type);
		};
	}

	private static int flags(Request.Page page) {
		return (page.page().isHeadersOnly() ? HEADERS_ONLY : 0) + (page.page().range().isDescending() ? DESCENDING : 0)
				+ ((page.page().above() != 0) ? ABOVE : 0);
	}

	private static void put(Request.Page page, MessageWriter to) {
		PageLimit limit = page.page().limit();
		to.putInt(page.maxReplyBytes()).putInt(limit.records()).putInt(limit.sizeBytes()).putInt(limit.examined());
		to.put(flags(page));
		if (page.page().above() != 0) {
			to.putLong(page.page().above());
		}
		to.put(page.page().range().start()).put(page.page().range().end());
	}

	private static Request.Page page(MessageReader from) {
		int maxReplyBytes = from.readInt();
		PageLimit limit = new PageLimit(from.readInt(), from.readInt(), from.readInt());
		int flags = from.octet();
		if ((flags & ~(HEADERS_ONLY | DESCENDING | ABOVE)) != 0) {
			throw new MalformedMessageException("unknown flags of a page %#x".formatted(flags));
		}
		long above = ((flags & ABOVE) != 0) ? from.readLong() : 0;
		ScanRange range = new ScanRange(from.key(), from.keyOrNull(), (flags & DESCENDING) != 0);
		return new Request.Page(new PageRequest(range, limit, (flags & HEADERS_ONLY) != 0, above), maxReplyBytes);
	}

}
