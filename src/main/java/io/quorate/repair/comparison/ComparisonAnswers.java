package io.quorate.repair.comparison;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.comparison.ComparisonResult;
import io.quorate.replica.comparison.PeerComparison;
import io.quorate.replica.comparison.RangeHash;
import io.quorate.storage.HeaderPage.Header;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage.Item;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;

/**
 * Answers the questions of a peer that leads a round. For every question the entries
 * looked at and the bytes of the answer are bounded. Used by one thread.
 */
public final class ComparisonAnswers {

	/* Of one question about hashes, and of one about headers. */
	static final int MAX_EXAMINED = 64 * 1024;

	private static final int PAGE_KEYS = 1024;

	private final Scope scope;

	private final OwnStore ours;

	private final EntryHashes hashes = new EntryHashes();

	private int examined;

	/** Answers for a round. */
	public ComparisonAnswers(Scope scope, OwnStore ours) {
		this.scope = scope;
		this.ours = ours;
	}

	/** Returns the ranges that differ. */
	public ComparisonResult compare(List<RangeHash> ranges) {
		this.examined = 0;
		Set<Integer> differing = new HashSet<>();
		for (int i = 0; i < ranges.size(); i++) {
			boolean isSame = isSame(ranges.get(i));
			if (this.examined > MAX_EXAMINED && i > 0) {
				return new ComparisonResult(i, differing);
			}
			if (!isSame) {
				differing.add(i);
			}
			if (this.examined > MAX_EXAMINED) {
				return new ComparisonResult(i + 1, differing);
			}
		}
		return new ComparisonResult(ranges.size(), differing);
	}

	/** Stops as soon as the result is certain; {@code false} after too many entries. */
	private boolean isSame(RangeHash range) {
		RangeHasher hasher = new RangeHasher(range.start());
		Key next = range.start();
		while (next != null) {
			HeaderPage page = this.ours.headers(next, range.end(), PAGE_KEYS);
			for (Header header : page.headers()) {
				this.examined++;
				if (this.scope.counts(header)) {
					hasher.add(this.hashes.of(header));
				}
				if (hasher.count() > range.count() || this.examined > MAX_EXAMINED) {
					return false;
				}
			}
			next = page.next();
		}
		return hasher.endingAt(range.end()).equals(range);
	}

	/** Reads headers of keys that both nodes may have to hold. */
	public HeaderPage headers(Key start, @Nullable Key end) {
		List<Header> headers = new ArrayList<>();
		long bytes = 0;
		this.examined = 0;
		Key next = start;
		while (next != null && this.examined < MAX_EXAMINED) {
			HeaderPage page = this.ours.headers(next, end, PeerComparison.MAX_HEADERS);
			for (Header header : page.headers()) {
				if (headers.size() == PeerComparison.MAX_HEADERS || bytes >= PeerComparison.MAX_BYTES) {
					return new HeaderPage(headers, header.key());
				}
				this.examined++;
				if (this.scope.shared().mayShare(header.key())) {
					headers.add(header);
					bytes += header.sizeBytes();
				}
			}
			next = page.next();
		}
		return new HeaderPage(headers, next);
	}

	/** Reads entries that both nodes must hold. */
	public ScanPage fetch(List<Key> keys) {
		List<Item> entries = new ArrayList<>();
		long bytes = 0;
		for (Key key : keys) {
			Entry entry = this.ours.read(key);
			if (entry == null || !this.scope.isShared(key, entry)) {
				continue;
			}
			Item item = new Item(key, entry);
			bytes += Pass.sizeBytes(item);
			if (bytes > PeerComparison.MAX_BYTES && !entries.isEmpty()) {
				return new ScanPage(entries, key);
			}
			entries.add(item);
		}
		return new ScanPage(entries, null);
	}

}
