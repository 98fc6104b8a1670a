package io.quorate.repair.move;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.quorate.membership.layout.Moved;
import io.quorate.repair.antientropy.CopyObserver;
import org.jspecify.annotations.Nullable;

/**
 * The copy by one version of the layout, from one source after the other, in steps that
 * wait for no member, and for the disk only to raise the purge horizon. Used by one
 * thread, but for {@link #progress}.
 */
final class LayoutCopy {

	private static final Duration STORE_PATIENCE = Duration.ofSeconds(60);

	private final long version;

	private final Set<String> all;

	private final Sources sources;

	private final CopyWork work;

	private final Target target;

	private final Set<String> left;

	/* Of the sources that are left, those that were not tried since the last pause. */
	private final Deque<String> untried = new ArrayDeque<>();

	private @Nullable Fetch fetch;

	private @Nullable CompletableFuture<Void> forced;

	private long forcedSinceNanos;

	private boolean isDone;

	private boolean isGivenUp;

	/** The members that this node copies from. */
	interface Sources {

		/**
		 * Whether a member has reported that it has adopted a version of the layout,
		 * which it does when each write that it had let in before is on its disk or has
		 * failed: a copy that begins then brings all that the member took by an earlier
		 * one, or what has replaced it, whatever the clocks of the two.
		 */
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

	/** The node that copies. */
	interface Target {

		/** Takes over the purge horizon of a source; on return it is durable. */
		void purgedUpTo(long hybrid) throws IOException;

		/** Completes when what was copied is on the disk. */
		CompletableFuture<Void> force();

		/** Whether another version of the layout was adopted, or the node stops. */
		boolean isOvertaken();

		/** The monotonic clock. */
		long nanos();

		/** The copy from a source waits for a reason, in words that name both. */
		void heldUp(String why);

	}

	/** The copy from one source. */
	private record Fetch(String source, CompletableFuture<Long> outcome) {
	}

	/**
	 * A copy that has not begun.
	 * @param version version of the layout
	 * @param all members to copy from
	 */
	LayoutCopy(long version, Set<String> all, Sources sources, CopyWork work, Target target) {
		this.version = version;
		this.all = Set.copyOf(all);
		this.sources = sources;
		this.work = work;
		this.target = target;
		this.left = new TreeSet<>(all);
		this.untried.addAll(this.left);
	}

	/** Version of the layout by which it copies. */
	long version() {
		return this.version;
	}

	/** The members that it copies from. */
	Set<String> sources() {
		return this.all;
	}

	/** The progress, for any thread. */
	Moved progress() {
		return this.work.progress();
	}

	/** Whether everything is copied, and on the disk. */
	boolean isDone() {
		return this.isDone;
	}

	/** Whether it does not go on any more. */
	boolean isGivenUp() {
		return this.isGivenUp;
	}

	/** Ends it where it is; a comparison that is under way would go on to its end. */
	void giveUp() {
		this.isGivenUp = true;
		if (this.fetch != null) {
			this.fetch.outcome().cancel(false);
		}
	}

	/**
	 * Goes on.
	 * @return work that has to end before it can go on; it is over already when all is
	 * done, and never ends by itself when all sources that are left were tried in vain
	 * @throws IOException when the disk does not have what it must
	 */
	CompletableFuture<?> goOn() throws IOException {
		while (!this.isDone && !this.isGivenUp) {
			if (this.target.isOvertaken()) {
				giveUp();
				break;
			}
			Fetch under = this.fetch;
			if (under != null) {
				if (!under.outcome().isDone()) {
					return under.outcome();
				}
				ended(under);
			}
			else if (this.left.isEmpty()) {
				CompletableFuture<Void> disk = disk();
				if (!disk.isDone()) {
					return disk;
				}
				onDisk(disk);
			}
			else if (!this.untried.isEmpty()) {
				tryToBegin(this.untried.removeFirst());
			}
			else {
				this.untried.addAll(this.left);
				return new CompletableFuture<>();
			}
		}
		return CompletableFuture.completedFuture(null);
	}

	private void tryToBegin(String source) {
		if (this.sources.hasAdopted(source, this.version)) {
			this.work.begins(source, this.sources.entriesOf(source));
			this.fetch = new Fetch(source, this.sources.copyFrom(source, this.work));
		}
	}

	private void ended(Fetch under) throws IOException {
		this.fetch = null;
		if (under.outcome().state() == Future.State.SUCCESS) {
			this.target.purgedUpTo(under.outcome().resultNow());
			this.work.ends(under.source());
			this.left.remove(under.source());
		}
		else {
			this.target.heldUp("%s cannot be copied now: %s".formatted(under.source(), why(under.outcome())));
		}
	}

	private static Object why(CompletableFuture<?> failed) {
		return (failed.state() == Future.State.FAILED) ? failed.exceptionNow() : "the comparison was given up";
	}

	private CompletableFuture<Void> disk() throws IOException {
		CompletableFuture<Void> disk = this.forced;
		if (disk == null) {
			disk = this.target.force();
			this.forced = disk;
			this.forcedSinceNanos = this.target.nanos();
		}
		else if (!disk.isDone() && this.target.nanos() - this.forcedSinceNanos >= STORE_PATIENCE.toNanos()) {
			throw new IOException(
					"what was copied is not on the disk after %d s".formatted(STORE_PATIENCE.toSeconds()));
		}
		return disk;
	}

	private void onDisk(CompletableFuture<Void> disk) throws IOException {
		if (disk.state() != Future.State.SUCCESS) {
			throw new IOException("what was copied is not on the disk: " + why(disk));
		}
		this.isDone = true;
		this.work.completes();
	}

}
