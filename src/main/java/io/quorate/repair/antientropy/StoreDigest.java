package io.quorate.repair.antientropy;

import java.nio.ByteBuffer;
import java.util.HexFormat;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.ContentType;
import io.quorate.entry.Entry;
import io.quorate.entry.Hash64;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.repair.comparison.ComparisonFailedException;
import io.quorate.repair.comparison.KeyRange;
import io.quorate.repair.comparison.SharedEntries;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ScanPage.Item;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;

/**
 * Computes a short digest of this node's own store, values included, with which operators
 * and tests compare two nodes. Reads the whole store, and waits for it.
 */
public final class StoreDigest {

	private static final PageLimit PAGE = new PageLimit(4096, 1024 * 1024, 4096);

	private static final HexFormat HEX = HexFormat.of();

	private final LocalSide own;

	StoreDigest(LocalSide own) {
		this.own = own;
	}

	/**
	 * A digest of a store.
	 *
	 * @param entries number of entries, tombstones and expired ones included
	 * @param tombstones those of them that are tombstones
	 * @param digest of key, timestamp, kind, copies, expiry, value and content type of
	 * all of them
	 */
	public record Digest(long entries, long tombstones, String digest) {
	}

	/**
	 * Reads the store as it is.
	 * @param peer id of another node: only entries that both nodes must hold count;
	 * {@code null} for all entries
	 * @throws IllegalArgumentException when there is no such node
	 */
	public Digest read(@Nullable String peer) {
		SharedEntries shared = (peer != null) ? sharedWith(peer) : null;
		Reading reading = new Reading();
		Key next = KeyRange.ALL.start();
		while (next != null) {
			Deadline until = Deadline.after(LocalSide.TIMEOUT);
			ScanPage page = Await.forIt(this.own.store().page(next, null, PAGE, until, Runnable::run), until);
			for (Item item : page.records()) {
				if (shared == null || shared.isShared(item.key(), item.entry())) {
					reading.add(item.key(), item.entry());
				}
			}
			next = page.next();
		}
		return reading.digest();
	}

	private SharedEntries sharedWith(String peer) {
		try {
			return this.own.sharedWith(peer).entries();
		}
		catch (ComparisonFailedException noMember) {
			throw new IllegalArgumentException(noMember.getMessage(), noMember);
		}
	}

	private static final class Reading {

		private final ByteBuffer step = ByteBuffer.allocate(4 * Long.BYTES + Timestamp.SIZE_BYTES + 2);

		private long hash;

		private long entries;

		private long tombstones;

		private void add(Key key, Entry entry) {
			Value value = (entry instanceof Entry.Live live) ? live.value() : Value.EMPTY;
			ContentType type = entry.contentType();
			this.step.clear()
				.putLong(this.hash)
				.putLong(key.hash64())
				.putLong(entry.timestamp().hybrid())
				.putInt(entry.timestamp().node())
				.put((byte) (entry.isTombstone() ? 1 : 0))
				.put((byte) entry.from())
				.putLong(entry.expiryMillis())
				.putLong(Hash64.of(value.array()) + ((type != null) ? 31 * Hash64.of(type.array()) : 0));
			this.hash = Hash64.of(this.step.array());
			this.entries++;
			this.tombstones += entry.isTombstone() ? 1 : 0;
		}

		private Digest digest() {
			return new Digest(this.entries, this.tombstones, HEX.toHexDigits(this.hash));
		}

	}

}
