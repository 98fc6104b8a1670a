package io.quorate.repair.move;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

import io.quorate.membership.exchange.LayoutProgress;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.members.Layouts;
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
 * earlier one, and has all that it took before [copyEarly]. What it has when the copy
 * begins is copied; the coordinators bring younger entries.</li>
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

	/** Time after which there may be something to do. */
	static final Duration PAUSE = Duration.ofMillis(500);

	private final Layouts layouts;

	private final LayoutCopy.Sources sources;

	private final GainedKeys gained;

	private final Gainer self;

	private final LayoutProgress progress;

	private final OwnedThread thread = new OwnedThread("move", this::work);

	private volatile boolean isStopped;

	private volatile long doneVersion;

	private volatile @Nullable LayoutCopy copy;

	/**
	 * A copy that has not begun.
	 * @param progress hears of what is copied
	 */
	Move(Layouts layouts, LayoutCopy.Sources sources, GainedKeys gained, Gainer self, LayoutProgress progress) {
		this.layouts = layouts;
		this.sources = sources;
		this.gained = gained;
		this.self = self;
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
		this.isStopped = true;
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
		LayoutCopy current = this.copy;
		return (current != null && this.layouts.current().isJoint()) ? current.progress().share() : 1;
	}

	private void work() {
		try {
			while (this.thread.isRunning()) {
				await(turn());
			}
		}
		catch (InterruptedException stopped) {
			log.debug("The copy is interrupted, and begins anew after the next start");
		}
		finally {
			giveUp();
		}
	}

	/* An outcome is looked at by the next turn. */
	private void await(CompletableFuture<?> awaited) throws InterruptedException {
		if (awaited.isDone()) {
			return;
		}
		try {
			awaited.get(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | CancellationException | TimeoutException ended) {
			log.trace("A step of the copy is over", ended);
		}
	}

	/**
	 * Does what can be done now, without waiting for a member. Called by one thread.
	 * @return work to be awaited before the next turn, but no longer than for
	 * {@link #PAUSE}; it never ends if there is nothing to do until then
	 */
	CompletableFuture<?> turn() {
		Layout layout = this.layouts.current();
		if (!layout.isJoint() || layout.version() == this.doneVersion) {
			giveUp();
			return new CompletableFuture<>();
		}
		try {
			LayoutCopy its = copyBy(layout);
			this.progress.moved(its.progress());
			CompletableFuture<?> awaited = its.goOn();
			if (its.isDone()) {
				done(layout, its);
			}
			return awaited;
		}
		catch (IOException failure) {
			sayHeldUp(failure.toString());
			giveUp();
		}
		catch (RuntimeException | Error bug) {
			log.error("Internal error while keys are copied; it is tried again", bug);
			giveUp();
		}
		return new CompletableFuture<>();
	}

	/* A later version may have other sources, or name one anew that has lost its disk. */
	private LayoutCopy copyBy(Layout layout) {
		LayoutCopy before = this.copy;
		if (before != null && before.version() == layout.version() && !before.isGivenUp()) {
			return before;
		}
		giveUp();
		Set<String> all = MoveSources.of(layout, this.layouts.self());
		CopyWork work = CopyWork.of(layout, this.layouts.self(), all);
		LayoutCopy begun = new LayoutCopy(layout.version(), all, this.sources, work, new LayoutCopy.Target() {

			@Override
			public void purgedUpTo(long hybrid) throws IOException {
				Move.this.self.horizon().raise(new Horizon.Levels(hybrid, Map.of()));
			}

			@Override
			public CompletableFuture<Void> force() {
				return Move.this.self.store().force();
			}

			@Override
			public boolean isOvertaken() {
				return Move.this.isStopped || Move.this.layouts.current().version() != layout.version();
			}

			@Override
			public long nanos() {
				return Move.this.self.nanos().getAsLong();
			}

			@Override
			public void heldUp(String why) {
				sayHeldUp(why);
			}

		});
		this.copy = begun;
		// Once: a line between its warnings would have the guard of the log take each for
		// news.
		if (!all.isEmpty() && (before == null || before.version() != layout.version())) {
			log.info("Version {} of the layout: this node copies keys from {}", layout.version(), all);
		}
		return begun;
	}

	private void done(Layout layout, LayoutCopy its) {
		this.gained.copied(layout);
		this.progress.moved(its.progress());
		this.progress.copied(layout.version());
		// Last: a turn that fails before is made again.
		this.doneVersion = layout.version();
		if (!its.sources().isEmpty()) {
			log.info("Version {} of the layout: this node has copied all keys that it gains", layout.version());
		}
	}

	/* The share stays that of the last copy. */
	private void giveUp() {
		LayoutCopy before = this.copy;
		if (before != null) {
			before.giveUp();
		}
	}

	private static void sayHeldUp(String why) {
		log.warn("The copy of keys that this node gains is held up: {}", why);
	}

	/**
	 * This node as the one that gains keys.
	 *
	 * @param store has what is copied
	 * @param horizon of its purges, which is raised to those of the sources
	 * @param nanos the monotonic clock
	 */
	record Gainer(Store store, Horizon horizon, LongSupplier nanos) {
	}

}
