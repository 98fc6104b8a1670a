package io.quorate.watch;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;

import io.quorate.entry.Hash64;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import org.jspecify.annotations.Nullable;

/**
 * The point up to which a client has got the events of a range. Any node takes it, also
 * after a restart of nodes. Immutable.
 *
 * <pre>
 * form 1 | flags 1 | history 8 | range 8 | layout 8 | ms 8 | positions
 *   [ key size 2 | key | positions ] | CRC32C 4
 * positions: count 1 | (epoch 8 | number 8)*
 * </pre>
 *
 * in URL-safe Base64. The part in brackets is there while the state or a catch-up is
 * under way: flag 1. Flag 2: the client has begun with nothing.
 *
 * @param origin circumstances in which it was made
 * @param base positions up to which all events were sent
 * @param isFromNothing whether the client has begun with nothing, and knows of no key
 * that is not sent
 * @param part the part of a catch-up that was sent, {@code null} when none is under way
 */
public record WatchCursor(Origin origin, Positions base, boolean isFromNothing, @Nullable Part part) {

	/** Before everything: the state comes first. */
	public static final WatchCursor START = new WatchCursor(new Origin(0, 0, 0, Long.MAX_VALUE), Positions.NONE, true,
			null);

	private static final int FORM = 1;

	private static final int PARTIAL = 1;

	private static final int FROM_NOTHING = 2;

	private static final int FIXED_SIZE = 2 + 4 * Long.BYTES;

	private static final String START_TEXT = "0";

	/** Longest text that is looked at. */
	public static final int MOST_LENGTH = 8192;

	/**
	 * The circumstances in which a cursor is made.
	 *
	 * @param history number of the cluster's history, another one once it was restored
	 * @param range hash of the range
	 * @param layout version of the layout
	 * @param millis instant before which all that was acknowledged is known, in
	 * milliseconds since the epoch
	 */
	record Origin(long history, long range, long layout, long millis) {
	}

	/**
	 * A catch-up that is under way.
	 *
	 * @param last last key of which it has sent what there is
	 * @param begun positions at its beginning
	 */
	record Part(Key last, Positions begun) {
	}

	/** The hash of a range by which its cursors are known. */
	static long hashOf(ScanRange range) {
		Key end = range.end();
		byte[] start = range.start().array();
		byte[] last = (end != null) ? end.array() : new byte[0];
		ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + 1 + start.length + last.length);
		bytes.putInt(start.length).put((byte) ((end != null) ? 1 : 0)).put(start).put(last);
		return Hash64.of(bytes.array());
	}

	/** Whether it is of a range, or of any. */
	public boolean isOf(ScanRange watched) {
		return this.equals(START) || this.origin.range() == hashOf(watched);
	}

	/** The text, in which no character needs an escape. */
	public String toText() {
		if (equals(START)) {
			return START_TEXT;
		}
		Part under = this.part;
		int partSize = (under != null) ? Short.BYTES + under.last().size() + size(under.begun()) : 0;
		ByteBuffer to = ByteBuffer.allocate(FIXED_SIZE + size(this.base) + partSize + Integer.BYTES);
		to.put((byte) FORM).put((byte) ((under != null ? PARTIAL : 0) | (this.isFromNothing ? FROM_NOTHING : 0)));
		to.putLong(this.origin.history())
			.putLong(this.origin.range())
			.putLong(this.origin.layout())
			.putLong(this.origin.millis());
		put(this.base, to);
		if (under != null) {
			to.putShort((short) under.last().size()).put(under.last().array());
			put(under.begun(), to);
		}
		to.putInt(crc(to.array(), to.position()));
		return textOf(to.array());
	}

	private static String textOf(byte[] bytes) {
		return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
	}

	private static int size(Positions positions) {
		return 1 + positions.byEpoch().size() * 2 * Long.BYTES;
	}

	private static void put(Positions positions, ByteBuffer to) {
		to.put((byte) positions.byEpoch().size());
		positions.byEpoch().forEach((epoch, number) -> to.putLong(epoch).putLong(number));
	}

	private static int crc(byte[] bytes, int size) {
		CRC32C crc = new CRC32C();
		crc.update(bytes, 0, size);
		return (int) crc.getValue();
	}

	/** Reads a text; empty when it is no cursor of a form that this node knows. */
	public static Optional<WatchCursor> parse(String text) {
		if (text.equals(START_TEXT)) {
			return Optional.of(START);
		}
		if (text.length() > MOST_LENGTH) {
			return Optional.empty();
		}
		try {
			byte[] bytes = Base64.getUrlDecoder().decode(text);
			if (!textOf(bytes).equals(text)) {
				return Optional.empty();
			}
			ByteBuffer from = ByteBuffer.wrap(bytes, 0, Math.max(0, bytes.length - Integer.BYTES));
			boolean isWhole = bytes.length > FIXED_SIZE + Integer.BYTES
					&& ByteBuffer.wrap(bytes).getInt(bytes.length - Integer.BYTES) == crc(bytes, from.limit());
			return (isWhole && from.get() == FORM) ? Optional.of(read(from)) : Optional.empty();
		}
		catch (IllegalArgumentException | BufferUnderflowException wrong) {
			return Optional.empty();
		}
	}

	private static WatchCursor read(ByteBuffer from) {
		int flags = from.get();
		Origin origin = new Origin(from.getLong(), from.getLong(), from.getLong(), from.getLong());
		Positions base = positions(from);
		Part part = null;
		if ((flags & PARTIAL) != 0) {
			byte[] last = new byte[Short.toUnsignedInt(from.getShort())];
			from.get(last);
			part = new Part(Key.wrap(last), positions(from));
		}
		return new WatchCursor(origin, base, (flags & FROM_NOTHING) != 0, part);
	}

	private static Positions positions(ByteBuffer from) {
		int count = Byte.toUnsignedInt(from.get());
		Map<Long, Long> byEpoch = new HashMap<>();
		for (int i = 0; i < count; i++) {
			byEpoch.put(from.getLong(), from.getLong());
		}
		return new Positions(byEpoch);
	}

}
