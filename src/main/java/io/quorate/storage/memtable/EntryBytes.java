package io.quorate.storage.memtable;

import java.nio.ByteBuffer;
import java.util.Arrays;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.storage.record.EntryCodec;
import io.quorate.storage.record.StoredEntry;

/**
 * The bytes of keys and entries, one behind the other and never changed, in pieces of a
 * megabyte. Each piece is one large object, which the collector moves in one go or not at
 * all; an object for each key and each entry would cost it more. One thread adds; any
 * number of threads read at places that they know.
 * <p>
 * A place is the number of the piece and the offset there in units of {@value #UNIT}
 * bytes; {@link #NOWHERE} is none.
 */
@SuppressWarnings("ByteBufferBackingArray") // every piece is an array, from its beginning
final class EntryBytes {

	/** No place. */
	static final int NOWHERE = 0;

	/** The unit of places, in bytes. */
	private static final int UNIT = 8;

	private static final int PIECE_BITS = 20;

	/*
	 * With the header of its array, a piece fills one region of the smallest heaps, not
	 * two.
	 */
	private static final int PIECE_BYTES = (1 << PIECE_BITS) - 16;

	private static final int OFFSET_BITS = PIECE_BITS - Integer.numberOfTrailingZeros(UNIT);

	private static final int OFFSETS = (1 << OFFSET_BITS) - 1;

	private volatile ByteBuffer[] pieces = {};

	private ByteBuffer last = ByteBuffer.allocate(0);

	private long sizeBytes;

	/** Adds a key and returns its place. */
	int add(Key key) {
		int place = room(key.size());
		this.last.put(key.array());
		return place;
	}

	/** Adds an entry and returns its place. */
	int add(StoredEntry entry) {
		int place = room(EntryCodec.size(entry));
		EntryCodec.write(entry, this.last);
		return place;
	}

	private int room(int size) {
		int position = (this.last.position() + UNIT - 1) & -UNIT;
		if (position + Integer.BYTES + size > this.last.capacity()) {
			position = begin(Integer.BYTES + size);
		}
		this.sizeBytes += (Integer.BYTES + size + UNIT - 1) & -UNIT;
		this.last.position(position).putInt(size);
		return ((this.pieces.length - 1) << OFFSET_BITS) | (position / UNIT);
	}

	private int begin(int leastBytes) {
		// The first place of all would be equal to NOWHERE.
		int position = (this.pieces.length == 0) ? UNIT : 0;
		// An entry larger than a piece has a piece of its own, in which nothing else
		// finds room.
		ByteBuffer next = ByteBuffer.allocate(Math.max(PIECE_BYTES, position + leastBytes));
		ByteBuffer[] more = Arrays.copyOf(this.pieces, this.pieces.length + 1);
		more[more.length - 1] = next;
		this.pieces = more;
		this.last = next.duplicate();
		return position;
	}

	/** Number of bytes that were added. */
	long sizeBytes() {
		return this.sizeBytes;
	}

	/** The entry at a place. */
	StoredEntry entry(int place) {
		ByteBuffer piece = piece(place);
		int at = offset(place);
		return EntryCodec.read(piece, at + Integer.BYTES, piece.getInt(at));
	}

	/** The timestamp of the entry at a place; nothing else of it is read. */
	Timestamp timestamp(int place) {
		return EntryCodec.timestamp(piece(place), offset(place) + Integer.BYTES);
	}

	/** The key at a place. */
	Key key(int place) {
		ByteBuffer piece = piece(place);
		int at = offset(place);
		byte[] bytes = new byte[piece.getInt(at)];
		piece.get(at + Integer.BYTES, bytes);
		return Key.wrap(bytes);
	}

	/** Compares the key at a place with another one. */
	int compare(int place, Key other) {
		ByteBuffer piece = piece(place);
		int from = offset(place) + Integer.BYTES;
		return Arrays.compareUnsigned(piece.array(), from, from + piece.getInt(from - Integer.BYTES), other.array(), 0,
				other.size());
	}

	/** Whether the key at a place is this one. */
	boolean isAt(int place, Key key) {
		ByteBuffer piece = piece(place);
		int from = offset(place) + Integer.BYTES;
		int size = piece.getInt(from - Integer.BYTES);
		return size == key.size() && Arrays.equals(piece.array(), from, from + size, key.array(), 0, size);
	}

	private ByteBuffer piece(int place) {
		return this.pieces[place >>> OFFSET_BITS];
	}

	private static int offset(int place) {
		return (place & OFFSETS) * UNIT;
	}

}
