package io.quorate.storage.engine;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.quorate.storage.StorageFailedException;
import org.jspecify.annotations.Nullable;

/**
 * The callers that wait for the active memtable to be sealed. Bounded by their number.
 */
final class Rotations {

	private final Views views;

	/* Runs a task soon; false when it never will. */
	private final Predicate<Runnable> later;

	private final Supplier<@Nullable StorageFailedException> failure;

	private final Set<Rotation> waiting = ConcurrentHashMap.newKeySet();

	/** A caller's wait for the memtable of a segment. */
	private record Rotation(long segment, CompletableFuture<Void> sealed) {
	}

	/**
	 * None yet.
	 * @param later runs a task soon, or reports that it never will
	 * @param failure reason why no memtable is sealed any more, or {@code null}
	 */
	Rotations(Views views, Predicate<Runnable> later, Supplier<@Nullable StorageFailedException> failure) {
		this.views = views;
		this.later = later;
		this.failure = failure;
	}

	/** Waits for the memtable that is active now to be sealed. */
	CompletableFuture<Void> await() {
		Rotation rotation = new Rotation(this.views.peek().active().memtable().segment(), new CompletableFuture<>());
		this.waiting.add(rotation);
		check(rotation);
		return rotation.sealed().whenComplete((_, _) -> this.waiting.remove(rotation));
	}

	private void check(Rotation rotation) {
		StorageFailedException failed = this.failure.get();
		if (failed != null) {
			rotation.sealed().completeExceptionally(failed);
		}
		else if (this.views.peek().active().memtable().segment() > rotation.segment()) {
			rotation.sealed().complete(null);
		}
		else if (!this.later.test(() -> check(rotation))) {
			rotation.sealed().completeExceptionally(closed());
		}
	}

	private static StorageFailedException closed() {
		return new StorageFailedException("the store is closed", null);
	}

	/** Fails all waits: no task runs any more. */
	void close() {
		this.waiting.forEach((rotation) -> rotation.sealed().completeExceptionally(closed()));
	}

}
