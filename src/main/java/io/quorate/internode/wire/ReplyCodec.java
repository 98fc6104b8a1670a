package io.quorate.internode.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.quorate.clock.Timestamp;
import io.quorate.consensus.Answer;
import io.quorate.consensus.ConsensusCodec;
import io.quorate.consensus.Decisions;
import io.quorate.entry.ContentType;
import io.quorate.entry.Key;
import io.quorate.entry.Summary;
import io.quorate.internode.Position;
import io.quorate.internode.wire.Reply.Envelope;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.storage.ScanPage.Item;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of a reply:
 *
 * <pre>
 * type 1 | timestamp 12 | [fields] | body
 * </pre>
 *
 * The {@link Fields} are not in the answer to the first message of a connection.
 * <p>
 * {@code applied} is {@code complete 1 | position 24}, {@code superseded} is
 * {@code timestamp 12 | flags 1 | position 24}, bit 0 when it was never held, bit 1
 * unless the newer entry is for certain one of a plain write; {@code promised} is
 * {@code timestamp 12 | position 24}. A page is
 * {@code next key | count 4 | (key | entry)*}, a failure {@code reason 1 | text}; the
 * replies of a comparison are in {@link ComparisonCodec}, those of a register in
 * {@link RegisterCodec}, that with arrivals in {@link ChangesCodec}, and those about the
 * layout have the bytes of {@link ConsensusCodec}.
 */
public final class ReplyCodec {

	private static final int WELCOME = 1;

	private static final int PONG = 2;

	private static final int APPLIED = 3;

	private static final int SUPERSEDED = 4;

	private static final int FOUND = 5;

	private static final int ABSENT = 6;

	private static final int PAGE = 7;

	private static final int TOO_LARGE = 8;

	private static final int FAILED = 9;

	private static final int BEGUN = 10;

	private static final int COMPARED = 11;

	private static final int HEADERS = 12;

	private static final int COMPLETED = 13;

	private static final int SUMMARIZED = 14;

	private static final int REFUSED = 16;

	private static final int LAYOUT = 17;

	private static final int JOIN = 18;

	private static final int SILENCE = 19;

	private static final int INTRODUCED = 20;

	private static final int OCCUPIED = 21;

	private static final int PROMISED = 22;

	private static final int PREPARED = 23;

	private static final int LOOKED = 24;

	private static final int RELEASED = 25;

	private static final int HANDED_OVER = 26;

	private static final int CHANGED = 27;

	private static final int NEVER_HELD = 1;

	private static final int CONDITIONAL = 2;

	private static final int HEADER_SIZE = 1 + Timestamp.SIZE_BYTES;

	/* Details are for operators; a long one must not make a failure a large message. */
	private static final int MAX_DETAIL_LENGTH = 1000;

	private ReplyCodec() {
	}

	/** Encodes a reply. */
	public static Message encode(Envelope envelope) {
		Reply reply = envelope.reply();
		int type = type(reply);
		Fields fields = hasFields(type) ? fields(reply) : null;
		int fieldsSize = (fields != null) ? fields.size() : 0;
		MessageWriter to = new MessageWriter(HEADER_SIZE + fieldsSize + bodySize(reply));
		to.put(type).put(envelope.stamp());
		if (fields != null) {
			fields.write(to);
		}
		switch (reply) {
			case Reply.Welcome welcome -> HandshakeCodec.write(welcome.handshake(), to);
			case Reply.Pong pong ->
				HandshakeCodec.write(pong.dataStatus(), to.putLong(pong.physicalMillis()).put(pong.draining()));
			case Reply.Applied applied -> HandshakeCodec.write(applied.position(), to.put(applied.isComplete()));
			case Reply.Superseded superseded ->
				HandshakeCodec.write(superseded.position(), to.put(superseded.by()).put(flags(superseded)));
			case Reply.Promised(var by, var position) -> HandshakeCodec.write(position, to.put(by));
			case Reply.Found found -> to.putLast(found.entry());
			case Reply.Summarized(var summary) -> to.put(summary);
			case Reply.Page page -> write(page.page(), to);
			case Reply.Changed(var page) -> ChangesCodec.write(page, to);
			case Reply.Register register -> RegisterCodec.write(register, to);
			case Reply.Comparison comparison -> ComparisonCodec.write(comparison, to);
			case Reply.TooLarge tooLarge -> to.putInt(tooLarge.sizeBytes());
			case Reply.Failed(var failure) -> to.put(code(failure.reason())).put(detail(failure));
			case Reply.Join(var said) -> to.put(bounded(said));
			case Reply.Silence(var millis) -> to.putLong(millis);
			case Reply.Introduced(var objection) -> to.put(bounded(objection));
			case Reply.Refused(var field) -> to.put(field.number());
			case Reply.Occupied(var addresses, var later) -> to.put(bounded(addresses)).putRaw(bytes(later));
			case Reply.Layout(var answer) -> to.putRaw(ConsensusCodec.write(answer));
			case Reply.Absent _ -> {
			}
		}
		return to.toMessage();
	}

	private static boolean hasFields(int type) {
		return type != WELCOME && type != REFUSED && type != JOIN && type != OCCUPIED;
	}

	private static Fields fields(Reply reply) {
		return (reply instanceof Reply.Pong pong) ? Fields.of(pong) : Fields.NONE;
	}

	private static int type(Reply reply) {
		return switch (reply) {
			case Reply.Welcome _ -> WELCOME;
			case Reply.Pong _ -> PONG;
			case Reply.Applied _ -> APPLIED;
			case Reply.Superseded _ -> SUPERSEDED;
			case Reply.Promised _ -> PROMISED;
			case Reply.Found _ -> FOUND;
			case Reply.Summarized _ -> SUMMARIZED;
			case Reply.Absent _ -> ABSENT;
			case Reply.Page _ -> PAGE;
			case Reply.Changed _ -> CHANGED;
			case Reply.Prepared _ -> PREPARED;
			case Reply.Looked _ -> LOOKED;
			case Reply.Released _ -> RELEASED;
			case Reply.HandedOver _ -> HANDED_OVER;
			case Reply.Begun _ -> BEGUN;
			case Reply.Compared _ -> COMPARED;
			case Reply.Headers _ -> HEADERS;
			case Reply.Completed _ -> COMPLETED;
			case Reply.TooLarge _ -> TOO_LARGE;
			case Reply.Failed _ -> FAILED;
			case Reply.Join _ -> JOIN;
			case Reply.Silence _ -> SILENCE;
			case Reply.Introduced _ -> INTRODUCED;
			case Reply.Refused _ -> REFUSED;
			case Reply.Occupied _ -> OCCUPIED;
			case Reply.Layout _ -> LAYOUT;
		};
	}

	private static int bodySize(Reply reply) {
		return switch (reply) {
			case Reply.Welcome welcome -> HandshakeCodec.size(welcome.handshake());
			case Reply.Pong _ -> Long.BYTES + 1 + HandshakeCodec.DATA_STATUS_SIZE;
			case Reply.Applied _ -> 1 + Position.SIZE;
			case Reply.Superseded _ -> Timestamp.SIZE_BYTES + 1 + Position.SIZE;
			case Reply.Promised _ -> Timestamp.SIZE_BYTES + Position.SIZE;
			case Reply.Found found -> MessageWriter.sizeOfLast(found.entry());
			case Reply.Summarized(var summary) -> MessageWriter.sizeOf(summary);
			case Reply.Page page -> size(page.page());
			case Reply.Changed(var page) -> ChangesCodec.size(page);
			case Reply.Register register -> RegisterCodec.size(register);
			case Reply.Comparison comparison -> ComparisonCodec.size(comparison);
			case Reply.TooLarge _ -> Integer.BYTES;
			case Reply.Failed(var failure) -> 1 + MessageWriter.sizeOf(detail(failure));
			case Reply.Join(var said) -> MessageWriter.sizeOf(bounded(said));
			case Reply.Silence _ -> Long.BYTES;
			case Reply.Introduced(var objection) -> MessageWriter.sizeOf(bounded(objection));
			case Reply.Refused _ -> 1;
			case Reply.Occupied(var addresses, var later) ->
				MessageWriter.sizeOf(bounded(addresses)) + bytes(later).length;
			case Reply.Layout(var answer) -> ConsensusCodec.write(answer).length;
			case Reply.Absent _ -> 0;
		};
	}

	/** Number of bytes that a reply to a look has more than one to a read, at most. */
	public static final int LOOK_OVERHEAD = 2 + Timestamp.SIZE_BYTES;

	/**
	 * Number of bytes of the reply with the value of an entry, with the longest content
	 * type that it may have.
	 */
	public static int sizeOfFound(Summary summary) {
		return HEADER_SIZE + Fields.NONE.size() + 1 + ContentType.MAX_SIZE_BYTES + MessageWriter.sizeOf(summary)
				+ summary.valueSizeBytes();
	}

	private static int flags(Reply.Superseded superseded) {
		return (superseded.wasNeverHeld() ? NEVER_HELD : 0) | (superseded.isPlain() ? 0 : CONDITIONAL);
	}

	private static Reply.Superseded superseded(MessageReader from) {
		Timestamp by = from.timestamp();
		int flags = from.octet();
		if ((flags & ~(NEVER_HELD | CONDITIONAL)) != 0) {
			throw new MalformedMessageException("unknown flags of superseded %#x".formatted(flags));
		}
		return new Reply.Superseded(by, (flags & NEVER_HELD) != 0, (flags & CONDITIONAL) == 0,
				HandshakeCodec.position(from));
	}

	private static byte[] bytes(@Nullable Decisions later) {
		return (later != null) ? ConsensusCodec.write(new Answer.Later(later)) : new byte[0];
	}

	private static @Nullable Decisions later(ByteBuffer bytes) {
		return (bytes.hasRemaining() && ConsensusCodec.readAnswer(bytes) instanceof Answer.Later(var later)) ? later
				: null;
	}

	private static String detail(Failure failure) {
		return bounded(failure.detail());
	}

	private static String bounded(String detail) {
		return (detail.length() > MAX_DETAIL_LENGTH) ? detail.substring(0, MAX_DETAIL_LENGTH) : detail;
	}

	private static int size(ScanPage page) {
		int size = MessageWriter.sizeOf(page.next()) + Integer.BYTES;
		int last = page.records().size() - 1;
		for (int i = 0; i <= last; i++) {
			Item item = page.records().get(i);
			size += MessageWriter.sizeOf(item.key());
			size += (i < last) ? MessageWriter.sizeOf(item.entry()) : MessageWriter.sizeOfLast(item.entry());
		}
		return size;
	}

	private static void write(ScanPage page, MessageWriter to) {
		to.put(page.next()).putInt(page.records().size());
		int last = page.records().size() - 1;
		for (int i = 0; i <= last; i++) {
			Item item = page.records().get(i);
			to.put(item.key());
			if (i < last) {
				to.put(item.entry());
			}
			else {
				to.putLast(item.entry());
			}
		}
	}

	/**
	 * Reads a reply.
	 * @throws MalformedMessageException when the bytes are no reply
	 */
	public static Envelope decode(ByteBuf bytes) {
		return MessageReader.readAll(bytes, (from) -> {
			int type = from.octet();
			Timestamp stamp = from.timestamp();
			Fields fields = hasFields(type) ? from.fields() : Fields.NONE;
			return new Envelope(stamp, body(type, fields, from));
		});
	}

	private static Reply body(int type, Fields fields, MessageReader from) {
		return switch (type) {
			case WELCOME -> new Reply.Welcome(HandshakeCodec.read(from));
			case PONG -> new Reply.Pong(from.readLong(), from.flag(), HandshakeCodec.dataStatus(from),
					fields.node().programOrUnknown(), fields.node().layout(), fields.addresses());
			case APPLIED -> new Reply.Applied(from.flag(), HandshakeCodec.position(from));
			case SUPERSEDED -> superseded(from);
			case PROMISED -> new Reply.Promised(from.timestamp(), HandshakeCodec.position(from));
			case FOUND -> new Reply.Found(from.entry());
			case SUMMARIZED -> new Reply.Summarized(from.summary());
			case ABSENT -> new Reply.Absent();
			case PAGE -> new Reply.Page(page(from));
			case CHANGED -> ChangesCodec.reply(from);
			case PREPARED -> RegisterCodec.prepared(from);
			case LOOKED -> RegisterCodec.looked(from);
			case RELEASED -> new Reply.Released();
			case HANDED_OVER -> RegisterCodec.handedOver(from);
			case BEGUN -> new Reply.Begun(ComparisonCodec.comparisonStart(from));
			case COMPARED -> new Reply.Compared(ComparisonCodec.comparisonResult(from));
			case HEADERS -> new Reply.Headers(ComparisonCodec.page(from));
			case COMPLETED -> new Reply.Completed(ComparisonCodec.round(from));
			case JOIN -> new Reply.Join(from.text());
			case SILENCE -> new Reply.Silence(from.readLong());
			case INTRODUCED -> new Reply.Introduced(from.text());
			case REFUSED -> new Reply.Refused(field(from.octet()));
			case OCCUPIED -> new Reply.Occupied(from.text(), later(from.rest()));
			case LAYOUT -> new Reply.Layout(ConsensusCodec.readAnswer(from.rest()));
			case TOO_LARGE -> new Reply.TooLarge(from.readInt());
			case FAILED -> new Reply.Failed(new Failure(reason(from.octet()), from.text()));
			default -> throw new MalformedMessageException("unknown type of reply " + type);
		};
	}

	private static Mismatch.Field field(int number) {
		for (Mismatch.Field field : Mismatch.Field.values()) {
			if (field.number() == number) {
				return field;
			}
		}
		throw new MalformedMessageException("unknown field of a handshake " + number);
	}

	private static ScanPage page(MessageReader from) {
		@Nullable Key next = from.keyOrNull();
		int count = from.readInt();
		List<Item> items = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			items.add(new Item(from.key(), from.entry()));
		}
		return new ScanPage(items, next);
	}

	private static int code(Reason reason) {
		return switch (reason) {
			case OVERLOADED -> 1;
			case DISK_FULL -> 2;
			case DRAINING -> 3;
			case CORRUPT -> 4;
			case TIMEOUT -> 5;
			case FAILED -> 6;
			case DISCONNECTED -> 7;
			case JOINING -> 9;
			case CLOCK_SKEW -> 10;
			case FENCED -> 11;
			case REBUILDING -> 12;
			case STALE_ROUND -> 13;
			case UNSUPPORTED -> 14;
			case STALE_LAYOUT -> 15;
			case LAYOUT_BEHIND -> 16;
			case BROKEN -> 17;
		};
	}

	private static Reason reason(int code) {
		return switch (code) {
			case 1 -> Reason.OVERLOADED;
			case 2 -> Reason.DISK_FULL;
			case 3 -> Reason.DRAINING;
			case 4 -> Reason.CORRUPT;
			case 5 -> Reason.TIMEOUT;
			case 7 -> Reason.DISCONNECTED;
			case 9 -> Reason.JOINING;
			case 10 -> Reason.CLOCK_SKEW;
			case 11 -> Reason.FENCED;
			case 12 -> Reason.REBUILDING;
			case 13 -> Reason.STALE_ROUND;
			case 14 -> Reason.UNSUPPORTED;
			case 15 -> Reason.STALE_LAYOUT;
			case 16 -> Reason.LAYOUT_BEHIND;
			case 17 -> Reason.BROKEN;
			default -> Reason.FAILED;
		};
	}

}
