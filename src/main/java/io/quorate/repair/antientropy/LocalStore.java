package io.quorate.repair.antientropy;

import java.util.List;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.repair.comparison.OwnStore;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage.Item;
import io.quorate.storage.Store;
import org.jspecify.annotations.Nullable;

/** The store of this node, as comparisons use it. */
final class LocalStore implements OwnStore {

	private static final int PAGE_BYTES = 1024 * 1024;

	private final Store store;

	private final Deliveries deliveries;

	private final Supplier<Deadline> deadline;

	/**
	 * A view of the store for one comparison.
	 * @param deliveries to this node itself
	 * @param deadline deadline of a request to the store that begins now
	 */
	LocalStore(Store store, Deliveries deliveries, Supplier<Deadline> deadline) {
		this.store = store;
		this.deliveries = deliveries;
		this.deadline = deadline;
	}

	@Override
	public HeaderPage headers(Key start, @Nullable Key end, int limit) {
		Deadline until = this.deadline.get();
		return Await.forIt(
				this.store.headers(start, end, new PageLimit(limit, PAGE_BYTES, limit), until, Runnable::run), until);
	}

	@Override
	public @Nullable Entry read(Key key) {
		Deadline until = this.deadline.get();
		return switch (Await.forIt(this.store.read(key, Integer.MAX_VALUE, until, Runnable::run), until)) {
			case ReadResult.Found(var entry) -> entry;
			case ReadResult.Absent _ -> null;
			case ReadResult.Summarized _ -> throw new IllegalStateException("a value is missing that was asked for");
		};
	}

	@Override
	public void apply(List<Item> entries) {
		this.deliveries.deliver(entries);
	}

}
