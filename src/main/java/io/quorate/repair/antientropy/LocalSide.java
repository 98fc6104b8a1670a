package io.quorate.repair.antientropy;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.repair.comparison.ComparisonFailedException;
import io.quorate.repair.comparison.OwnStore;
import io.quorate.replica.Origin;
import io.quorate.replica.Replica;
import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage.Item;
import io.quorate.storage.Store;
import io.quorate.storage.thread.ThreadTime;
import org.jspecify.annotations.Nullable;

/**
 * This node's side of every round, led by it or by a peer.
 *
 * @param shared entries that this node and each peer must both hold
 * @param local this node as a replica
 * @param time time of the thread that compares
 */
record LocalSide(SharedWithPeers shared, Store store, Replica local, Agreements agreements, ThreadTime time) {

	/** Time in which an entry of a round has to arrive, and a question to be answered. */
	static final Duration TIMEOUT = Duration.ofSeconds(10);

	/**
	 * Returns when all entries that this node holds are on the disk. An entry that
	 * another node relies on must survive a power failure, whatever {@code wal.sync}
	 * promises to clients.
	 */
	void secure() {
		Await.forIt(this.store.force(), Deadline.after(TIMEOUT));
	}

	/** Notes this node's start values, before the node looks at its entries. */
	ComparisonStart note() {
		return this.agreements.start(this.store.durableSequence());
	}

	/**
	 * Begins a round at this node, or goes on with it: either way all its entries are on
	 * the disk.
	 */
	Agreement begin(String peer, Round round, ComparisonStart theirs) {
		secure();
		return this.agreements.begin(peer, round, this::note, theirs);
	}

	/** Id of this node. */
	String self() {
		return this.shared.self();
	}

	/**
	 * The entries that this node and a peer must both hold by the current layout: a round
	 * asks once.
	 * @throws ComparisonFailedException when one of the two is no member
	 */
	SharedWithPeers.Shared sharedWith(String peer) {
		return this.shared.with(peer);
	}

	/**
	 * This node's store in a round, which takes entries while the layout is adopted by
	 * which they are shared.
	 */
	OwnStore store(Round round, SharedWithPeers.Shared entries, Supplier<Deadline> deadline) {
		return new LocalStore(this.store, deliveries(this.local.planned(entries.version()), round), deadline);
	}

	static Deliveries deliveries(Replica replica, Round round) {
		return new Deliveries(replica, new Origin.Stream(round.number()), TIMEOUT);
	}

	/** The store of this node, as comparisons use it. */
	private static final class LocalStore implements OwnStore {

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
					this.store.headers(start, end, new PageLimit(limit, PAGE_BYTES, limit), until, Runnable::run),
					until);
		}

		@Override
		public @Nullable Entry read(Key key) {
			Deadline until = this.deadline.get();
			return switch (Await.forIt(this.store.read(key, Integer.MAX_VALUE, until, Runnable::run), until)) {
				case ReadResult.Found(var entry) -> entry;
				case ReadResult.Absent _ -> null;
				case ReadResult.Summarized _ ->
					throw new IllegalStateException("a value is missing that was asked for");
			};
		}

		@Override
		public void apply(List<Item> entries) {
			this.deliveries.deliver(entries);
		}

	}

}
