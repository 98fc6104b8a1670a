package io.quorate.repair.comparison;

import java.util.List;
import java.util.function.Supplier;

import io.quorate.entry.Key;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.comparison.ComparisonResult;
import io.quorate.replica.comparison.RangeHash;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage.Item;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;

/** A peer of which every so-many-th answer is lost. */
final class UnreliablePeer implements PeerStore {

	private final PeerStore peer;

	private final int lostOf;

	private int asked;

	UnreliablePeer(PeerStore peer, int lostOf) {
		this.peer = peer;
		this.lostOf = lostOf;
	}

	@Override
	public ComparisonResult compare(List<RangeHash> ranges) {
		return unlessLost(() -> this.peer.compare(ranges));
	}

	@Override
	public HeaderPage headers(Key start, @Nullable Key end) {
		return unlessLost(() -> this.peer.headers(start, end));
	}

	@Override
	public ScanPage fetch(List<Key> keys) {
		return unlessLost(() -> this.peer.fetch(keys));
	}

	@Override
	public void apply(List<Item> entries) {
		unlessLost(() -> {
			this.peer.apply(entries);
			return true;
		});
	}

	/** Questions that it was asked. */
	int asked() {
		return this.asked;
	}

	private <T> T unlessLost(Supplier<T> question) {
		T answer = question.get();
		if (++this.asked % this.lostOf == 0) {
			throw new ComparisonFailedException(new Failure(Reason.TIMEOUT, "the answer is lost"));
		}
		return answer;
	}

}
