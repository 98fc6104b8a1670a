package io.quorate.repair.purge;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
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
import java.util.concurrent.locks.LockSupport;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.repair.purge.RebuildRecord.Step;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.Aside;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ScanPage;
import io.quorate.storage.ScanPage.Item;
import io.quorate.storage.Store;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Fills the store anew: sets aside what is there, copies from every member that shares a
 * partition with this node, takes over their horizons, merges back what is newer than all
 * of them or no other node can hold, and then serves. One thread, which does nothing else; what fails is tried
 * again after a while, what was begun before a restart goes on.
 */
public final class Rebuild implements SmartLifecycle {

	private static final Logger log = LoggerFactory.getLogger(Rebuild.class);

	private static final Key FIRST = Key.wrap(new byte[1]);

	private static final Duration PAUSE = Duration.ofSeconds(1);

	private static final PageLimit PAGE = new PageLimit(1024, 256 * 1024, 64 * 1024);

	private static final Duration STORE_PATIENCE = Duration.ofSeconds(60);

	private final RebuildState state;

	private final PeerMemory memory;

	private final Horizon horizon;

	private final Sources sources;

	private final Store store;

	private final Share share;

	private final long earliestNanos;

	private volatile @Nullable Thread thread;

	private volatile boolean running;

	private final AtomicLong copied = new AtomicLong();

	/** Where it copies from. */
	interface Sources {

		/** Members that share a partition with this node. */
		Set<String> ids();

		/**
		 * A page of all that a member holds.
		 * @throws IOException when it does not answer now
		 * @throws InterruptedException when this node stops
		 */
		ScanPage page(String member, Key start) throws IOException, InterruptedException;

	}

	/**
	 * Not begun yet.
	 * @param share what this node is to hold
	 * @param wait the longest deadline of a request: nothing is copied before everything
	 * is over that was under way when this process started
	 */
	Rebuild(RebuildState state, PeerMemory memory, Horizon horizon, Sources sources, Store store, Share share,
			Duration wait) {
		this.state = state;
		this.memory = memory;
		this.horizon = horizon;
		this.sources = sources;
		this.store = store;
		this.share = share;
		this.earliestNanos = System.nanoTime() + wait.toNanos();
		state.onBegin(this::wake);
	}

	@Override
	public void start() {
		this.running = true;
		this.thread = Thread.ofPlatform().daemon().name("rebuild").start(this::work);
	}

	@Override
	public void stop() {
		this.running = false;
		wake();
		Thread started = this.thread;
		if (started != null) {
			started.interrupt();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	private void wake() {
		LockSupport.unpark(this.thread);
	}

	private void work() {
		try {
			while (this.running) {
				if (this.state.isRebuilding()) {
					tryToRebuild();
				}
				rest();
			}
		}
		catch (InterruptedException stopped) {
			log.debug("The rebuild is interrupted, and goes on after the next start");
		}
	}

	private void rest() throws InterruptedException {
		LockSupport.parkNanos(this, PAUSE.toNanos());
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
	}

	private void tryToRebuild() throws InterruptedException {
		try {
			rebuild();
		}
		catch (IOException | ExecutionException | TimeoutException | RuntimeException failure) {
			log.warn("The rebuild is held up and goes on soon: {}", failure.toString());
		}
	}

	private void rebuild() throws IOException, InterruptedException, ExecutionException, TimeoutException {
		this.state.persist();
		while (System.nanoTime() < this.earliestNanos && !this.state.isAbandoned()) {
			rest();
		}
		if (this.state.state().step() == Step.BEGUN) {
			done(this.store.setAside());
			this.state.setAside();
			log.info("What this node held is set aside");
		}
		boolean complete = copyAll();
		long highest = complete ? copiedHorizon() : 0;
		complete &= !this.state.isAbandoned();
		this.horizon.raise(new Horizon.Levels(highest, Map.of()));
		highest = this.horizon.overall();
		mergeBack(complete, highest);
		done(this.store.flush());
		Optional<Aside> own = this.store.aside();
		if (own.isPresent()) {
			done(own.get().discard());
		}
		this.state.finish(highest);
		log.info("This node is rebuilt: {} entries copied and merged", this.copied);
	}

	/**
	 * Copies from everybody.
	 * @return whether it did; {@code false} when an operator ends the rebuild before
	 */
	private boolean copyAll() throws InterruptedException, ExecutionException, TimeoutException {
		Set<String> missing = new TreeSet<>(this.sources.ids());
		while (!missing.isEmpty() && !this.state.isAbandoned()) {
			for (String member : List.copyOf(missing)) {
				if (copyFrom(member)) {
					missing.remove(member);
				}
			}
			if (!missing.isEmpty()) {
				rest();
			}
		}
		if (!missing.isEmpty()) {
			log.warn("The rebuild is ended without {}, by an operator or a new incarnation: everything that was set"
					+ " aside is merged, deletions that these have purged may be undone", missing);
		}
		return missing.isEmpty();
	}

	private boolean copyFrom(String member) throws InterruptedException, ExecutionException, TimeoutException {
		Key next = FIRST;
		long before = this.copied.get();
		while (next != null) {
			if (!this.running || this.state.isAbandoned()) {
				return false;
			}
			try {
				ScanPage page = this.sources.page(member, next);
				applyAll(page.records().stream().filter(this.share::isOurs).toList());
				next = page.next();
			}
			catch (IOException failure) {
				log.info("{} cannot be copied now: {}", member, failure.getMessage());
				return false;
			}
		}
		log.info("Copied {} entries from {}", this.copied.get() - before, member);
		return true;
	}

	private void applyAll(List<Item> items) throws InterruptedException, ExecutionException, TimeoutException {
		List<CompletableFuture<ApplyResult>> writes = new ArrayList<>();
		for (Item item : items) {
			writes.add(this.store.apply(item.key(), item.entry(), Runnable::run));
		}
		for (CompletableFuture<ApplyResult> write : writes) {
			done(write);
		}
		this.copied.addAndGet(items.size());
	}

	/**
	 * The highest horizon of all sources, each as said after the last page was copied.
	 */
	private long copiedHorizon() throws InterruptedException {
		long since = System.nanoTime();
		long highest = 0;
		for (String member : this.sources.ids()) {
			PeerMemory.Heard heard = this.memory.lastOf(member);
			while ((heard == null || heard.nanos() - since < 0) && !this.state.isAbandoned()) {
				rest();
				heard = this.memory.lastOf(member);
			}
			highest = (heard != null) ? Horizon.higher(highest, heard.standing().purgeHorizon()) : highest;
		}
		return highest;
	}

	/**
	 * The node's own entries that no purge can have been about, or all of them. What no
	 * other node can hold comes back, too: nobody else has forgotten its deletion, and
	 * nobody else could bring it back.
	 */
	private void mergeBack(boolean complete, long horizonOfAll)
			throws InterruptedException, ExecutionException, TimeoutException {
		Aside own = this.store.aside().orElse(null);
		if (own == null) {
			return;
		}
		Timestamp newest = new Timestamp(horizonOfAll, -1);
		Key next = FIRST;
		long merged = 0;
		long alone = 0;
		long left = 0;
		while (next != null) {
			ScanPage page = done(own.page(next, null, PAGE, Runnable::run));
			List<Item> back = page.records()
				.stream()
				.filter((item) -> !complete || isNewer(item, newest) || this.share.isOnlyOurs(item))
				.filter(this.share::isOurs)
				.toList();
			applyAll(back);
			merged += back.size();
			alone += complete ? back.stream().filter((item) -> !isNewer(item, newest)).count() : 0;
			left += page.records().size() - back.size();
			next = page.next();
		}
		log.info("Of what was set aside {} entries are merged, {} not newer than the horizon are not", merged, left);
		if (alone > 0) {
			log.warn("{} of these entries are not newer than the horizon, and merged because no other node can hold"
					+ " them: one that was deleted longer than the grace period ago may be back", alone);
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

}
