package io.quorate.storage.engine;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.quorate.storage.StorageFailedException;
import org.jspecify.annotations.Nullable;

/**
 * The callers that wait for the active memtable to be sealed, or for writes on their way
 * to it. Bounded by their number.
 */
final class Rotations {

	private final Views views;

	private final Runnable ask;

	/* Runs a task soon; false when it never will. */
	private final Predicate<Runnable> later;

	private final Supplier<@Nullable StorageFailedException> failure;

	private final Set<Wait> waiting = ConcurrentHashMap.newKeySet();

	/** A caller's wait for a condition. */
	private record Wait(BooleanSupplier reached, CompletableFuture<Void> over) {
	}

	/**
	 * None yet.
	 * @param ask has the active memtable sealed soon
	 * @param later runs a task soon, or reports that it never will
	 * @param failure reason why no memtable is sealed any more, or {@code null}
	 */
	Rotations(Views views, Runnable ask, Predicate<Runnable> later,
			Supplier<@Nullable StorageFailedException> failure) {
		this.views = views;
		this.ask = ask;
		this.later = later;
		this.failure = failure;
	}

	/** Has the memtable that is active now sealed, and waits for it. */
	CompletableFuture<Void> next() {
		long segment = this.views.peek().active().memtable().segment();
		CompletableFuture<Void> sealed = until(() -> this.views.peek().active().memtable().segment() > segment);
		this.ask.run();
		return sealed;
	}

	/**
	 * Waits for a condition that the threads of the write path bring about.
	 * @param reached whether it is so; asked each millisecond
	 */
	CompletableFuture<Void> until(BooleanSupplier reached) {
		Wait wait = new Wait(reached, new CompletableFuture<>());
		this.waiting.add(wait);
		check(wait);
		return wait.over().whenComplete((_, _) -> this.waiting.remove(wait));
	}

	private void check(Wait wait) {
		StorageFailedException failed = this.failure.get();
		if (failed != null) {
			wait.over().completeExceptionally(failed);
		}
		else if (wait.reached().getAsBoolean()) {
			wait.over().complete(null);
		}
		else if (!this.later.test(() -> check(wait))) {
			wait.over().completeExceptionally(closed());
		}
	}

	private static StorageFailedException closed() {
		return new StorageFailedException("the store is closed", null);
	}

	/** Fails all waits: no task runs any more. */
	void close() {
		this.waiting.forEach((wait) -> wait.over().completeExceptionally(closed()));
	}

}
