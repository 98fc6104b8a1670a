package io.quorate.repair.comparison;

import java.util.ArrayList;
import java.util.List;

import io.quorate.entry.ContentType;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.LineageCodec;
import io.quorate.repair.comparison.PassObserver.Kind;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.comparison.ComparisonResult;
import io.quorate.replica.comparison.PeerComparison;
import io.quorate.replica.comparison.RangeHash;
import io.quorate.storage.HeaderPage.Header;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage.Item;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;

/**
 * One comparison of this node's store with another node's over a key range, from its
 * beginning to its end: hashes of chunks, then of the parts of those that differ, then
 * headers of the parts that differ, and at last the entries that either node lacks.
 * <p>
 * When {@link #run} returns, both nodes durably hold each entry that counted when the
 * pass looked at it, or a newer one. When it throws, {@link #run} may be called again: it
 * goes on where it was, and reads anew the entries that it is going to send. Used by one
 * thread at a time.
 */
public final class Pass {

	/** The direction in which entries are sent. */
	public enum Direction {

		/** Both nodes receive the entries that they lack. */
		BOTH,

		/** Only this node receives entries: it is rebuilt. */
		FETCH

	}

	/* Entries of this node's store that are hashed before the other node is asked. */
	private static final int BATCH_KEYS = 32 * 1024;

	private static final int PAGE_KEYS = 1024;

	private static final int MAX_ENTRIES = 64;

	private static final int MAX_ENTRY_BYTES = 1024 * 1024;

	/* Bytes of an entry in transit, besides key and value. */
	private static final int ENTRY_OVERHEAD_BYTES = 32;

	private final Scope scope;

	private final KeyRange range;

	private final Direction direction;

	private final OwnStore ours;

	private final PeerStore theirs;

	private final PassObserver observer;

	private volatile @Nullable Key position;

	/** A pass that has not begun. */
	public Pass(Scope scope, KeyRange range, Direction direction, OwnStore ours, PeerStore theirs,
			PassObserver observer) {
		this.scope = scope;
		this.range = range;
		this.direction = direction;
		this.ours = ours;
		this.theirs = theirs;
		this.observer = observer;
		this.position = range.start();
	}

	/** The first key that is not compared yet, or {@code null} at the end. */
	public @Nullable Key position() {
		return this.position;
	}

	/**
	 * Compares the rest of the range.
	 * @throws ComparisonFailedException when it cannot go on for now
	 */
	public void run() {
		Key from = this.position;
		while (from != null) {
			from = step(from);
			this.position = from;
		}
	}

	/** Compares a batch, and returns where the next one starts. */
	private @Nullable Key step(Key from) {
		Chunks chunks = new Chunks(this.scope, from);
		Key next = from;
		int examined = 0;
		while (next != null && examined < BATCH_KEYS) {
			HeaderPage page = this.ours.headers(next, this.range.end(), PAGE_KEYS);
			page.headers().forEach(chunks::add);
			examined += page.headers().size();
			this.observer.read(page.headers().size(), sizeBytes(page));
			next = page.next();
		}
		List<Chunk> batch = chunks.endingAt((next != null) ? next : this.range.end());
		for (KeyRange differing : differingParts(batch)) {
			reconcile(differing);
		}
		this.observer.compared(batch.stream().mapToLong((chunk) -> chunk.whole().count()).sum());
		return next;
	}

	private List<KeyRange> differingParts(List<Chunk> chunks) {
		List<RangeHash> parts = new ArrayList<>();
		for (int differing : differing(chunks.stream().map(Chunk::whole).toList())) {
			parts.addAll(chunks.get(differing).parts());
		}
		List<Integer> differing = differing(parts);
		this.observer.differing(differing.size());
		return joined(differing.stream().map(parts::get).toList());
	}

	/** Positions of the ranges that differ. */
	private List<Integer> differing(List<RangeHash> ranges) {
		List<Integer> differing = new ArrayList<>();
		int asked = 0;
		while (asked < ranges.size()) {
			List<RangeHash> some = someOf(ranges.subList(asked, ranges.size()));
			ComparisonResult comparisonResult = this.theirs.compare(some);
			if (comparisonResult.decided() < 1 || comparisonResult.decided() > some.size()) {
				throw broken("%d of %d ranges decided".formatted(comparisonResult.decided(), some.size()));
			}
			this.observer.transferred(Kind.HASHES, some.stream().mapToLong(RangeHash::sizeBytes).sum());
			this.observer.answered();
			for (int i = 0; i < comparisonResult.decided(); i++) {
				if (comparisonResult.differing().contains(i)) {
					differing.add(asked + i);
				}
			}
			asked += comparisonResult.decided();
		}
		return differing;
	}

	/** As many as fit into one question. */
	private static List<RangeHash> someOf(List<RangeHash> ranges) {
		int count = 0;
		long bytes = 0;
		while (count < Math.min(ranges.size(), PeerComparison.MAX_RANGES)
				&& bytes + ranges.get(count).sizeBytes() <= PeerComparison.MAX_BYTES) {
			bytes += ranges.get(count).sizeBytes();
			count++;
		}
		return ranges.subList(0, count);
	}

	private static List<KeyRange> joined(List<RangeHash> parts) {
		List<KeyRange> joined = new ArrayList<>();
		for (RangeHash part : parts) {
			if (!joined.isEmpty() && part.start().equals(joined.getLast().end())) {
				joined.add(new KeyRange(joined.removeLast().start(), part.end()));
			}
			else {
				joined.add(new KeyRange(part.start(), part.end()));
			}
		}
		return joined;
	}

	private void reconcile(KeyRange differing) {
		Key from = differing.start();
		while (from != null) {
			HeaderPage our = this.ours.headers(from, differing.end(), PeerComparison.MAX_HEADERS);
			this.observer.read(our.headers().size(), sizeBytes(our));
			HeaderPage their = this.theirs.headers(from, (our.next() != null) ? our.next() : differing.end());
			this.observer.transferred(Kind.HEADERS, sizeBytes(their));
			this.observer.answered();
			Key upTo = (their.next() != null) ? their.next() : our.next();
			if (upTo != null && upTo.compareTo(from) <= 0) {
				throw broken("a page that ends where it began");
			}
			Difference difference = Difference.between(below(upTo, our.headers()), their.headers(), this.scope);
			fetch(difference.missing());
			if (this.direction == Direction.BOTH) {
				send(difference.owed());
			}
			from = upTo;
		}
	}

	private static List<Header> below(@Nullable Key end, List<Header> headers) {
		return (end == null) ? headers
				: headers.stream().takeWhile((header) -> header.key().compareTo(end) < 0).toList();
	}

	private void fetch(List<Header> missing) {
		int fetched = 0;
		while (fetched < missing.size()) {
			List<Key> keys = someKeysOf(missing.subList(fetched, missing.size()));
			ScanPage page = this.theirs.fetch(keys);
			List<Item> entries = page.records().stream().filter(this::isShared).toList();
			this.observer.transferred(Kind.HEADERS, keys.stream().mapToLong(Key::size).sum());
			this.observer.transferred(Kind.ENTRIES, page.records().stream().mapToLong(Pass::sizeBytes).sum());
			this.observer.answered();
			this.ours.apply(entries);
			this.observer.received(entries.size());
			int lookedAt = (page.next() != null) ? keys.indexOf(page.next()) : keys.size();
			if (lookedAt < 1) {
				throw broken("no entry, and none said to be gone");
			}
			fetched += lookedAt;
		}
	}

	/** As many as fit into one answer. */
	private static List<Key> someKeysOf(List<Header> missing) {
		List<Key> keys = new ArrayList<>();
		long bytes = 0;
		for (Header header : missing) {
			bytes += (long) header.key().size() + LineageCodec.size(header) + header.valueSizeBytes()
					+ ENTRY_OVERHEAD_BYTES;
			if (!keys.isEmpty() && (bytes > PeerComparison.MAX_BYTES || keys.size() == PeerComparison.MAX_KEYS)) {
				break;
			}
			keys.add(header.key());
		}
		return keys;
	}

	private void send(List<Header> owed) {
		List<Item> entries = new ArrayList<>();
		long bytes = 0;
		for (Header header : owed) {
			Entry entry = this.ours.read(header.key());
			if (entry == null || !this.scope.isShared(header.key(), entry)) {
				continue;
			}
			Item item = new Item(header.key(), entry);
			entries.add(item);
			bytes += sizeBytes(item);
			if (entries.size() == MAX_ENTRIES || bytes >= MAX_ENTRY_BYTES) {
				send(entries, bytes);
				entries.clear();
				bytes = 0;
			}
		}
		if (!entries.isEmpty()) {
			send(entries, bytes);
		}
	}

	private void send(List<Item> entries, long bytes) {
		this.theirs.apply(List.copyOf(entries));
		this.observer.transferred(Kind.ENTRIES, bytes);
		this.observer.answered();
		this.observer.sent(entries.size());
	}

	private boolean isShared(Item item) {
		return this.scope.isShared(item.key(), item.entry());
	}

	private static long sizeBytes(HeaderPage page) {
		return page.headers().stream().mapToLong(Header::sizeBytes).sum();
	}

	/** Bytes of an entry in transit, about. */
	static long sizeBytes(Item item) {
		int value = (item.entry() instanceof Entry.Live live) ? live.value().size() : 0;
		ContentType contentType = item.entry().contentType();
		int type = (contentType != null) ? contentType.size() : 0;
		return (long) item.key().size() + LineageCodec.size(item.entry()) + value + type + ENTRY_OVERHEAD_BYTES;
	}

	private static ComparisonFailedException broken(String detail) {
		return new ComparisonFailedException(new Failure(Reason.FAILED, "not an answer to what was asked: " + detail));
	}

}
