package io.quorate.repair.rebuild;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.repair.record.CoveredLosses;
import io.quorate.repair.record.Horizon;
import io.quorate.repair.record.RebuildRecord.Step;
import io.quorate.security.LoggedKey;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ScanPage.Item;
import io.quorate.storage.ScanPage;
import io.quorate.storage.SetAsideData;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.Store;
import io.quorate.storage.thread.OwnedThread;
import io.quorate.storage.thread.ThreadTime;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Rebuilds the store of a node that has lost data: sets its data aside, copies from every
 * member that shares a partition with this node, takes over their purge horizons, merges
 * back the entries that are newer than all of them or that no other node can hold, and
 * then serves. One thread, which does nothing else. A step that fails is tried again
 * after a while, from where it was. A rebuild that began before a restart goes on with
 * all data that is set aside, and copies anew.
 */
public final class Rebuild implements SmartLifecycle {

	private static final Logger log = LoggerFactory.getLogger(Rebuild.class);

	private static final Duration PAUSE = Duration.ofSeconds(1);

	private static final Duration UNTIL_ROOM = Duration.ofMillis(100);

	private static final Duration UNTIL_SAID = Duration.ofSeconds(10);

	private static final PageLimit PAGE = new PageLimit(1024, 256 * 1024, 64 * 1024);

	private static final Duration STORE_PATIENCE = Duration.ofSeconds(60);

	private final RebuildState state;

	private final PeerStatusTracker tracker;

	private final Sources sources;

	private final Store store;

	private final OwnedKeys ownedKeys;

	private final ThreadTime time;

	private final long madeNanos;

	private final OwnedThread thread = new OwnedThread("rebuild", this::work);

	private CopyPositions positions = new CopyPositions();

	private final AtomicLong copied = new AtomicLong();

	/** The members that a rebuild copies from. */
	interface Sources {

		/**
		 * Whether this node has adopted the last layout that it has heard of, and is a
		 * member by it: a start knows the configuration only.
		 */
		boolean areKnown();

		/** Members that share a partition with this node. */
		Set<String> ids();

		/**
		 * A page of all entries that a member holds.
		 * @throws IOException when the member does not answer now
		 * @throws InterruptedException when this node stops
		 */
		ScanPage page(String member, Key start) throws IOException, InterruptedException;

	}

	/**
	 * A rebuild that has not begun.
	 * @param ownedKeys entries that this node must hold
	 */
	Rebuild(RebuildState state, PeerStatusTracker tracker, Sources sources, Store store, OwnedKeys ownedKeys,
			ThreadTime time) {
		this.state = state;
		this.tracker = tracker;
		this.sources = sources;
		this.store = store;
		this.ownedKeys = ownedKeys;
		this.time = time;
		this.madeNanos = time.nanos();
		state.onBegin(this.thread::wake);
	}

	@Override
	public void start() {
		this.thread.start();
	}

	@Override
	public void stop() {
		this.thread.interrupt();
	}

	@Override
	public boolean isRunning() {
		return this.thread.isRunning();
	}

	/** Ends after the node has announced its stop to its peers. */
	@Override
	public int getPhase() {
		return DEFAULT_PHASE - 1;
	}

	private void work() {
		try {
			while (this.thread.isRunning()) {
				turn();
			}
		}
		catch (InterruptedException stopped) {
			log.debug("The rebuild is interrupted, and goes on after the next start");
		}
	}

	/** Rebuilds as far as it is possible now, and rests. Called by one thread. */
	void turn() throws InterruptedException {
		this.state.beginPostponed();
		if (this.state.isRebuilding()) {
			tryToRebuild();
		}
		rest(PAUSE);
	}

	private void rest(Duration pause) throws InterruptedException {
		this.time.rest(pause.toNanos());
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
	}

	private static void sayHeldUp(String why) {
		log.warn("The rebuild is held up: {}", why);
	}

	private void tryToRebuild() throws InterruptedException {
		try {
			rebuild();
		}
		catch (IOException | ExecutionException | TimeoutException | RuntimeException | Error failure) {
			sayHeldUp("it goes on soon after " + failure);
		}
	}

	private void rebuild() throws IOException, InterruptedException, ExecutionException, TimeoutException {
		this.state.persist();
		// Requests may be under way that began before this process.
		while (this.time.nanos() - this.madeNanos < this.tracker.longestRequestNanos() && !this.state.isAbandoned()) {
			rest(PAUSE);
		}
		while (!this.sources.areKnown() && !this.state.isAbandoned()) {
			rest(PAUSE);
		}
		if (this.state.state().step() == Step.BEGUN) {
			this.positions = new CopyPositions();
			done(this.store.setAside());
			this.state.setAside();
			log.info("The data of this node is set aside");
		}
		boolean complete = copyAll();
		long highest = complete ? copiedHorizon() : 0;
		if (hasBegunAnew()) {
			return;
		}
		complete &= !this.state.isAbandoned();
		highest = this.tracker.purgedUpTo(highest);
		mergeBack(complete, highest);
		if (hasBegunAnew()) {
			return;
		}
		done(this.store.flush());
		Optional<SetAsideData> own = this.store.aside();
		if (own.isPresent()) {
			done(own.get().discard());
		}
		if (finish(highest, complete)) {
			log.info("This node is rebuilt: {} entries copied and merged", this.copied);
		}
	}

	private boolean hasBegunAnew() {
		return this.state.state().step() != Step.ASIDE;
	}

	/**
	 * Ends the rebuild. The store passes the sequence that peers remember of this data:
	 * else a later loss would show only above that sequence.
	 * @param complete whether all sources were copied
	 * @return whether it has ended; {@code false} when it begins anew, because a peer has
	 * reported another loss after the rebuild was abandoned
	 */
	private boolean finish(long highest, boolean complete)
			throws IOException, InterruptedException, ExecutionException, TimeoutException {
		CoveredLosses coveredLosses;
		do {
			if (hasBegunAnew()) {
				return false;
			}
			coveredLosses = this.state.coveredLosses();
			done(this.store.passSequence(Math.max(0, coveredLosses.sequenceOf(this.tracker.storageId()))));
			this.tracker.settle(coveredLosses.generation());
		}
		while (!this.state.finish(coveredLosses, highest, complete));
		return true;
	}

	/**
	 * Copies from all sources.
	 * @return whether it did; {@code false} when the rebuild is to end without them, or
	 * to begin anew, before
	 */
	private boolean copyAll() throws InterruptedException, ExecutionException, TimeoutException {
		Set<String> missing = this.positions.missingOf(this.sources.ids());
		while (!missing.isEmpty() && this.state.isUnderWay()) {
			for (String member : List.copyOf(missing)) {
				copyFrom(member);
			}
			missing = this.positions.missingOf(this.sources.ids());
			if (!missing.isEmpty()) {
				rest(PAUSE);
			}
		}
		if (!missing.isEmpty() && !hasBegunAnew()) {
			log.warn("The rebuild is ended without {}: everything that was set aside is merged, deletions that these"
					+ " have purged may be undone", missing);
		}
		return missing.isEmpty();
	}

	private void copyFrom(String member) throws InterruptedException, ExecutionException, TimeoutException {
		Key next = this.positions.nextOf(member);
		while (next != null) {
			if (Thread.currentThread().isInterrupted() || !this.state.isUnderWay()) {
				return;
			}
			try {
				ScanPage page = this.sources.page(member, next);
				requireBelievable(page);
				if (!applyAll(page.records().stream().filter(this.ownedKeys::isOurs).toList(),
						this.state::isUnderWay)) {
					return;
				}
				next = page.next();
				this.positions.copied(member, next);
			}
			catch (IOException failure) {
				sayHeldUp(member + " cannot be copied now: " + failure.getMessage());
				return;
			}
		}
		log.info("Copied all from {}: {} entries so far", member, this.copied);
	}

	/**
	 * Requires that no entry is left out for its timestamp: either this node's clock is
	 * behind, or the entry is of a clock that was ahead. Both faults pass, or an operator
	 * ends the rebuild.
	 */
	private void requireBelievable(ScanPage page) throws IOException {
		Item refused = page.records().stream().filter(this.ownedKeys::isOursButForItsStamp).findFirst().orElse(null);
		if (refused != null && !this.state.isAbandoned()) {
			throw new IOException("the entry of %s has the timestamp %s, too far ahead of the cluster's clock"
				.formatted(LoggedKey.of(refused.key()), refused.entry().timestamp()));
		}
	}

	/**
	 * Stores the entries. Those for which the store has no room, or that a promise
	 * refuses, are tried again.
	 * @param goesOn whether the entries are still to be stored
	 * @return whether all are
	 */
	private boolean applyAll(List<Item> items, BooleanSupplier goesOn)
			throws InterruptedException, ExecutionException, TimeoutException {
		long begun = this.time.nanos();
		boolean isSaid = false;
		List<Refused> left = apply(items);
		while (!left.isEmpty() && goesOn.getAsBoolean()) {
			if (!isSaid && this.time.nanos() - begun >= UNTIL_SAID.toNanos()) {
				isSaid = true;
				sayHeldUp("the store refuses the entry of %s (%d in all): %s"
					.formatted(LoggedKey.of(left.getFirst().item().key()), left.size(), left.getFirst().why()));
			}
			rest(UNTIL_ROOM);
			left = apply(left.stream().map(Refused::item).toList());
		}
		this.copied.addAndGet(items.size() - left.size());
		return left.isEmpty();
	}

	/** An entry that the store has refused, and why. */
	private record Refused(Item item, String why) {
	}

	/** Stores the entries, and returns those that the store has refused. */
	private List<Refused> apply(List<Item> items) throws InterruptedException, ExecutionException, TimeoutException {
		List<CompletableFuture<ApplyResult>> writes = new ArrayList<>();
		for (Item item : items) {
			writes.add(this.store.apply(item.key(), item.entry(), Runnable::run));
		}
		/* None may be stored later: the store may be set aside again. */
		var _ = done(CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new)).exceptionally((_) -> null));
		List<Refused> refused = new ArrayList<>();
		for (int i = 0; i < writes.size(); i++) {
			try {
				if (done(writes.get(i)) instanceof ApplyResult.Promised(Timestamp by)) {
					refused.add(new Refused(items.get(i), "the promise %s stands".formatted(by)));
				}
			}
			catch (ExecutionException failure) {
				if (!(failure.getCause() instanceof StorageOverloadedException full)) {
					throw failure;
				}
				refused.add(new Refused(items.get(i), String.valueOf(full.getMessage())));
			}
		}
		return refused;
	}

	/**
	 * The highest horizon of all sources, each as reported after the last page was
	 * copied.
	 */
	private long copiedHorizon() throws InterruptedException {
		long since = System.nanoTime();
		long highest = 0;
		for (String member : this.sources.ids()) {
			Incarnations.Heard heard = this.tracker.lastOf(member);
			while ((heard == null || heard.nanos() - since < 0) && this.state.isUnderWay()) {
				rest(PAUSE);
				heard = this.tracker.lastOf(member);
			}
			highest = (heard != null) ? Horizon.higher(highest, heard.dataStatus().purgeHorizon()) : highest;
		}
		return highest;
	}

	/**
	 * Merges back the node's own entries that no purge can have concerned, or all of
	 * them. An entry that no other node can hold comes back, too: no other node has
	 * purged its deletion, and none could bring it back.
	 */
	private void mergeBack(boolean complete, long horizonOfAll)
			throws IOException, InterruptedException, ExecutionException, TimeoutException {
		SetAsideData own = this.store.aside().orElse(null);
		if (own == null) {
			return;
		}
		Timestamp newest = new Timestamp(horizonOfAll, -1);
		CopyPositions.Merge merge = this.positions.mergeOf(complete);
		if (merge.next() == null) {
			// An attempt before has ended and reported it.
			return;
		}
		while (merge.next() != null && !hasBegunAnew()) {
			ScanPage page = page(own, merge.next());
			requireBelievable(page);
			List<Item> back = page.records()
				.stream()
				.filter((item) -> !complete || isNewer(item, newest) || this.ownedKeys.isOnlyOurs(item))
				.filter(this.ownedKeys::isOurs)
				.toList();
			if (!applyAll(back, () -> !hasBegunAnew())) {
				return;
			}
			long alone = complete ? back.stream().filter((item) -> !isNewer(item, newest)).count() : 0;
			merge = merge.reached(page.next(),
					new CopyPositions.Counts(back.size(), alone, page.records().size() - back.size()));
			this.positions.merged(merge);
		}
		if (merge.next() != null) {
			return;
		}
		report(merge.counts());
		own.unread().forEach((table) -> reportDamage(table, complete));
	}

	private static void reportDamage(SetAsideData.Unread table, boolean complete) {
		log.warn(
				"The table {} of what was set aside is damaged and left out, with about {} entries between {} and {}: {}",
				table.file(), table.entries(), LoggedKey.of(table.smallest()), LoggedKey.of(table.largest()),
				complete ? "what members hold of them was copied, those of which this node had the only copy are lost"
						: "those that no copied member holds are lost");
	}

	/** Waits, when the store has no room for another reader. */
	private ScanPage page(SetAsideData own, Key start)
			throws InterruptedException, ExecutionException, TimeoutException {
		while (true) {
			try {
				return done(own.page(start, null, PAGE, Runnable::run));
			}
			catch (ExecutionException failure) {
				if (!(failure.getCause() instanceof StorageOverloadedException)) {
					throw failure;
				}
				rest(UNTIL_ROOM);
			}
		}
	}

	private static void report(CopyPositions.Counts counts) {
		log.info("Of the data set aside {} entries are merged, {} not newer than the horizon are not", counts.merged(),
				counts.left());
		if (counts.alone() > 0) {
			log.warn(
					"{} of these entries are not newer than the horizon, and merged because no other node can hold"
							+ " them: one that was deleted longer than the grace period ago may be back",
					counts.alone());
		}
	}

	private static boolean isNewer(Item item, Timestamp newest) {
		return item.entry().timestamp().isAfter(newest);
	}

	private static <T> T done(CompletableFuture<T> work)
			throws InterruptedException, ExecutionException, TimeoutException {
		return work.get(STORE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
	}

	/** Entries copied since the process started. */
	long copied() {
		return this.copied.get();
	}

	/**
	 * The next page to copy of each source of a rebuild, and to merge back of the data
	 * that is set aside: an attempt that fails is followed by one that goes on from
	 * there, within one process. That is safe for members' pages because their horizons
	 * are read after the last page of all. Used by one thread.
	 */
	private static final class CopyPositions {

		private static final Key FIRST = Key.wrap(new byte[1]);

		private final Map<String, Key> next = new HashMap<>();

		private final Set<String> done = new HashSet<>();

		private Merge merge = new Merge(false, FIRST, Counts.NONE);

		/**
		 * The progress of the merge of the data that was set aside.
		 *
		 * @param complete whether only those entries are merged that no member can bring
		 * @param next first key that was not looked at, {@code null} when all were
		 */
		record Merge(boolean complete, @Nullable Key next, Counts counts) {

			Merge reached(@Nullable Key key, Counts more) {
				return new Merge(this.complete, key, this.counts.plus(more));
			}

		}

		/**
		 * Counts of the entries that were set aside.
		 *
		 * @param merged entries that are merged back
		 * @param alone those of them that are merged back only because no other node can
		 * hold them
		 * @param left entries that are not merged back
		 */
		record Counts(long merged, long alone, long left) {

			static final Counts NONE = new Counts(0, 0, 0);

			Counts plus(Counts more) {
				return new Counts(this.merged + more.merged, this.alone + more.alone, this.left + more.left);
			}

		}

		/** Those of the given members that are not copied to the end. */
		Set<String> missingOf(Set<String> members) {
			Set<String> missing = new TreeSet<>(members);
			missing.removeAll(this.done);
			return missing;
		}

		/** First key of a member that was not copied. */
		Key nextOf(String member) {
			return this.next.getOrDefault(member, FIRST);
		}

		/**
		 * Records that a page of a member is in the store.
		 * @param key first key that was not copied, {@code null} when all were
		 */
		void copied(String member, @Nullable Key key) {
			if (key == null) {
				this.done.add(member);
			}
			else {
				this.next.put(member, key);
			}
		}

		/** Progress of the merge of one kind; a merge of the other kind begins anew. */
		Merge mergeOf(boolean complete) {
			if (this.merge.complete() != complete) {
				this.merge = new Merge(complete, FIRST, Counts.NONE);
			}
			return this.merge;
		}

		/** Records that a page of the data that was set aside is in the store. */
		void merged(Merge reached) {
			this.merge = reached;
		}

	}

}
