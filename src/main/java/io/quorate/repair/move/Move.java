package io.quorate.repair.move;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

import io.quorate.membership.Layout;
import io.quorate.membership.LayoutFollower;
import io.quorate.membership.LayoutProgress;
import io.quorate.membership.Layouts;
import io.quorate.repair.antientropy.CopyObserver;
import io.quorate.repair.record.Horizon;
import io.quorate.storage.Store;
import io.quorate.storage.thread.OwnedThread;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Copies the keys that this node gains in a change of the layout, and reports when it has
 * them. One thread, which does nothing else.
 * <p>
 * Invariants (the runs of the model {@code Moving} that break without them in brackets):
 * <ol>
 * <li>A member is copied from only after it has reported that it has adopted the layout
 * by which this node copies: from then on it takes no write that was planned under an
 * earlier one, and has all that it took before [copyEarly]. Entries up to that instant
 * are copied; the coordinators bring younger ones.</li>
 * <li>All replicas of before are copied that are not declared dead [copyOne].</li>
 * <li>The node takes over the highest purge horizon of them before it takes hints of the
 * keys [noHorizon].</li>
 * <li>What was copied is on the disk before it is reported.</li>
 * </ol>
 * A step that fails is tried again after a while. A copy that began before a restart, or
 * before another version of the layout, begins anew: what was copied is compared, not
 * sent again.
 */
final class Move implements SmartLifecycle, LayoutFollower {

	private static final Logger log = LoggerFactory.getLogger(Move.class);

	private static final Duration PAUSE = Duration.ofMillis(500);

	/* Time in which keep-alives have brought the clock of a member. */
	private static final Duration KEEP_ALIVES = Duration.ofSeconds(2);

	/* Comparisons leave out entries that are younger. */
	private static final Duration SETTLED = Duration.ofSeconds(5);

	private static final Duration STORE_PATIENCE = Duration.ofSeconds(60);

	private final Layouts layouts;

	private final Sources sources;

	private final GainedKeys gained;

	private final Horizon horizon;

	private final Store store;

	/* The present by the hybrid clock, in milliseconds. */
	private final LongSupplier nowMillis;

	private final LayoutProgress progress;

	private final OwnedThread thread = new OwnedThread("move", this::work);

	private String saidLast = "";

	private volatile long doneVersion;

	private volatile @Nullable CopyWork work;

	/** The members that this node copies from. */
	interface Sources {

		/** Whether a member has reported that it has adopted a version of the layout. */
		boolean hasAdopted(String member, long version);

		/** The number of entries that a member has reported to hold, 0 before that. */
		long entriesOf(String member);

		/**
		 * Copies from a member all that this node must hold and lacks, until the result
		 * is cancelled.
		 * @return completes with the purge horizon of the member
		 */
		CompletableFuture<Long> copyFrom(String member, CopyObserver observer);

	}

	/**
	 * A copy that has not begun.
	 * @param nowMillis the present by the hybrid clock
	 * @param progress hears of what is copied
	 */
	Move(Layouts layouts, Sources sources, GainedKeys gained, Horizon horizon, Store store, LongSupplier nowMillis,
			LayoutProgress progress) {
		this.layouts = layouts;
		this.sources = sources;
		this.gained = gained;
		this.horizon = horizon;
		this.store = store;
		this.nowMillis = nowMillis;
		this.progress = progress;
	}

	@Override
	public void adopted(Layout now) {
		this.thread.wake();
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

	/**
	 * The part of what this node gains that is copied: 1 when there is nothing to copy.
	 */
	double share() {
		CopyWork current = this.work;
		return (current != null && this.layouts.current().isJoint()) ? current.progress().share() : 1;
	}

	private void work() {
		try {
			while (this.thread.isRunning()) {
				Layout layout = this.layouts.current();
				if (layout.isJoint() && layout.version() != this.doneVersion) {
					tryToCopy(layout);
				}
				rest();
			}
		}
		catch (InterruptedException stopped) {
			log.debug("The copy is interrupted, and begins anew after the next start");
		}
	}

	private void rest() throws InterruptedException {
		LockSupport.parkNanos(this, PAUSE.toNanos());
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
	}

	private void tryToCopy(Layout layout) throws InterruptedException {
		try {
			copy(layout);
		}
		catch (IOException | ExecutionException | TimeoutException failure) {
			sayHeldUp(failure.toString());
		}
		catch (RuntimeException bug) {
			log.error("Internal error while keys are copied; it is tried again", bug);
		}
	}

	/** Logs a reason once while it stays the same. */
	private void sayHeldUp(String why) {
		if (!why.equals(this.saidLast)) {
			log.warn("The copy of keys that this node gains is held up: {}", why);
			this.saidLast = why;
		}
	}

	private void copy(Layout layout) throws IOException, InterruptedException, ExecutionException, TimeoutException {
		Set<String> all = MoveSources.of(layout, this.layouts.self());
		Set<String> left = new TreeSet<>(all);
		Map<String, Reported> reported = new HashMap<>();
		CopyWork begun = CopyWork.of(layout, this.layouts.self(), all);
		this.work = begun;
		this.progress.moved(begun.progress());
		if (!all.isEmpty()) {
			log.info("Version {} of the layout: this node copies keys from {}", layout.version(), all);
		}
		while (!left.isEmpty()) {
			for (String source : List.copyOf(left)) {
				if (isOvertaken(layout)) {
					return;
				}
				if (isReady(source, layout, reported) && isCopiedFrom(source, layout, begun)) {
					left.remove(source);
				}
			}
			if (!left.isEmpty()) {
				rest();
			}
		}
		if (isOvertaken(layout)) {
			return;
		}
		done(this.store.force());
		this.gained.copied(layout);
		this.doneVersion = layout.version();
		begun.completes();
		this.progress.moved(begun.progress());
		this.progress.copied(layout.version());
		if (!all.isEmpty()) {
			log.info("Version {} of the layout: this node has copied all keys that it gains", layout.version());
		}
	}

	/* A later version may have other sources, or name one anew that has lost its disk. */
	private boolean isOvertaken(Layout layout) {
		return this.layouts.current().version() != layout.version() || !this.thread.isRunning();
	}

	/*
	 * A copy has all entries up to an instant some seconds before it begins, which has to
	 * be above all that the source took before it adopted the layout. Keep-alives bring
	 * the hybrid clock of the source, which is above all its timestamps.
	 */
	private boolean isReady(String source, Layout layout, Map<String, Reported> reported) {
		if (!this.sources.hasAdopted(source, layout.version())) {
			return false;
		}
		Reported its = reported.computeIfAbsent(source, (_) -> new Reported(System.nanoTime()));
		return its.isSettled(this.nowMillis.getAsLong());
	}

	/** The report of a source that it has adopted the layout. Used by one thread. */
	private static final class Reported {

		private final long heardNanos;

		private @Nullable Long synchronizedMillis;

		private Reported(long heardNanos) {
			this.heardNanos = heardNanos;
		}

		private boolean isSettled(long nowMillis) {
			Long since = this.synchronizedMillis;
			if (since != null) {
				return nowMillis - SETTLED.toMillis() > since;
			}
			if (System.nanoTime() - this.heardNanos >= KEEP_ALIVES.toNanos()) {
				this.synchronizedMillis = nowMillis;
			}
			return false;
		}

	}

	private boolean isCopiedFrom(String source, Layout layout, CopyWork begun)
			throws IOException, InterruptedException {
		begun.begins(source, this.sources.entriesOf(source));
		CompletableFuture<Long> copy = this.sources.copyFrom(source, begun);
		try {
			return isCopied(copy, source, layout, begun);
		}
		finally {
			/* One that is overtaken would go on to its end. */
			copy.cancel(false);
		}
	}

	private boolean isCopied(CompletableFuture<Long> copy, String source, Layout layout, CopyWork begun)
			throws IOException, InterruptedException {
		while (true) {
			try {
				long purged = copy.get(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
				this.horizon.raise(new Horizon.Levels(purged, Map.of()));
				begun.ends(source);
				return true;
			}
			catch (TimeoutException goesOn) {
				if (isOvertaken(layout)) {
					return false;
				}
				this.progress.moved(begun.progress());
			}
			catch (ExecutionException failure) {
				sayHeldUp("%s cannot be copied now: %s".formatted(source, failure.getCause()));
				return false;
			}
		}
	}

	private static void done(CompletableFuture<Void> work)
			throws InterruptedException, ExecutionException, TimeoutException {
		work.get(STORE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
	}

}
