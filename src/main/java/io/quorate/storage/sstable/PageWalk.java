package io.quorate.storage.sstable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

import io.quorate.entry.Key;
import io.quorate.security.LoggedKey;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry;
import org.jspecify.annotations.Nullable;
import org.mapdb.DataInput2;

/**
 * Goes through the entries of one page after the other, in a copy that was verified when
 * it was taken: a later change of the page on the disk or in memory does not change the
 * entries read. Used by one thread. See {@link PageNodes} for the layout of a page.
 */
final class PageWalk {

	private static final Object[] NOTHING = {};

	private final PageCopies copies;

	private final PageIndex index;

	private final KeyNodeSerializer keys;

	private final EntryNodeSerializer entries;

	private final byte[] bytes;

	private final DataInput2.ByteBuffer in;

	private int page = -1;

	/* Offset of the number of nodes. */
	private int entrance;

	private int nodes;

	/* The next node to read, or in descending order the one before which to read on. */
	private int node;

	private Object[] keysOfNode = NOTHING;

	private Object[] entriesOfNode = NOTHING;

	private int position;

	private byte @Nullable [] latest;

	PageWalk(PageCopies copies, PageIndex index, KeyNodeSerializer keys, EntryNodeSerializer entries,
			int pageSizeBytes) {
		this.copies = copies;
		this.index = index;
		this.keys = keys;
		this.entries = entries;
		this.bytes = new byte[pageSizeBytes];
		this.in = new DataInput2.ByteBuffer(ByteBuffer.wrap(this.bytes), 0);
	}

	/** The current page, or the next one if it could not be copied. */
	int page() {
		return this.page;
	}

	/** Goes to the beginning of a page, behind those before. */
	void enter(int next) {
		leave();
		this.page = next;
		this.copies.copy(next, this.bytes);
		this.entrance = (next == 0) ? PartialVolume.HEADER_SIZE_BYTES : 0;
		this.nodes = this.in.buf.getInt(this.entrance);
	}

	/** Goes to the end of a page, to go back from there. */
	void enterAtEnd(int next) {
		enter(next);
		this.node = this.nodes;
	}

	/** Goes on to the first key of this page that is not less than {@code start}. */
	void skipTo(byte[] start) {
		while (this.node < this.nodes && isBehindNode(start)) {
			this.node++;
		}
		if (this.node < this.nodes) {
			readNode(this.node++);
			while (Arrays.compareUnsigned((byte[]) this.keysOfNode[this.position], start) < 0) {
				this.position++;
			}
		}
	}

	/** Goes back to behind the last key of this page that is less than {@code end}. */
	void skipBackTo(byte[] end) {
		while (this.node > 0 && isNotBehindNode(this.node - 1, end)) {
			this.node--;
		}
		if (this.node > 0) {
			readNode(--this.node);
			this.position = this.keysOfNode.length;
			while (Arrays.compareUnsigned((byte[]) this.keysOfNode[this.position - 1], end) >= 0) {
				this.position--;
			}
		}
	}

	/**
	 * The next entry of this page, {@code null} at its end.
	 * @throws MisorderedKeyException when its key does not follow the one before
	 */
	@Nullable KeyedEntry next() {
		while (this.position == this.keysOfNode.length) {
			if (this.node == this.nodes) {
				return null;
			}
			readNode(this.node++);
		}
		KeyedEntry next = entry(this.position, 1);
		this.position++;
		return next;
	}

	/**
	 * The entry of this page before the one that was read last, {@code null} at its
	 * beginning.
	 * @throws MisorderedKeyException when its key does not come before that one
	 */
	@Nullable KeyedEntry previous() {
		while (this.position == 0) {
			if (this.node == 0) {
				return null;
			}
			readNode(--this.node);
			this.position = this.keysOfNode.length;
		}
		this.position--;
		return entry(this.position, -1);
	}

	/** An entry of the node, whose key follows that of the latest in a direction. */
	private KeyedEntry entry(int number, int direction) {
		byte[] key = (byte[]) this.keysOfNode[number];
		requireOrder(key, direction);
		this.latest = key;
		return new KeyedEntry(Key.wrap(key), (StoredEntry) this.entriesOfNode[number]);
	}

	private void requireOrder(byte[] key, int direction) {
		byte[] before = this.latest;
		boolean isInPage = Arrays.compareUnsigned(key, this.index.firstKey(this.page)) >= 0
				&& (this.page + 1 == this.index.pages()
						|| Arrays.compareUnsigned(key, this.index.firstKey(this.page + 1)) < 0);
		if (!isInPage || (before != null && direction * Arrays.compareUnsigned(before, key) >= 0)) {
			throw new MisorderedKeyException(Key.wrap(key));
		}
	}

	private void readNode(int number) {
		int count = openKeys(number);
		this.keysOfNode = this.keys.valueArrayDeserialize(this.in, count);
		open(this.nodes + number);
		this.entriesOfNode = this.entries.valueArrayDeserialize(this.in, count);
		this.position = 0;
	}

	/** Goes to the end of this page. */
	void leave() {
		this.nodes = 0;
		this.node = 0;
		this.keysOfNode = NOTHING;
		this.entriesOfNode = NOTHING;
		this.position = 0;
	}

	private boolean isBehindNode(byte[] key) {
		int count = openKeys(this.node);
		return this.keys.compare(key, this.in, count, count - 1) > 0;
	}

	private boolean isNotBehindNode(int number, byte[] key) {
		int count = openKeys(number);
		return this.keys.compare(key, this.in, count, 0) <= 0;
	}

	/** Goes to the keys of a node, and returns their number. */
	private int openKeys(int number) {
		open(number);
		try {
			return this.in.unpackInt();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void open(int number) {
		this.in.pos = this.in.buf.getInt(this.entrance + Integer.BYTES + number * Integer.BYTES);
	}

	/** The failure of a read that finds a key of a table out of order. */
	private static final class MisorderedKeyException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		MisorderedKeyException(Key key) {
			super("the key %s is out of order".formatted(LoggedKey.of(key)));
		}

	}

}
