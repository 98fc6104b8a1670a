package io.quorate.storage.wal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

import io.quorate.storage.StorageFailedException;
import org.jspecify.annotations.Nullable;

/**
 * The callers that wait for an fsync of the log beyond what {@code wal.sync} does. Any
 * thread adds; the log's thread takes. Bounded by the number of callers, which wait.
 */
final class SyncRequests {

	/* All callers that have asked for the next fsync wait for the same future. */
	private final AtomicReference<@Nullable CompletableFuture<Void>> next = new AtomicReference<>();

	private final ConcurrentLinkedQueue<Pass> passes = new ConcurrentLinkedQueue<>();

	/**
	 * A request to pass a sequence number, and to fsync what has a lower one.
	 *
	 * @param sequence number that no later write gets
	 * @param done completes when both is so
	 */
	record Pass(long sequence, CompletableFuture<Void> done) {
	}

	/** Adds a request for the next fsync. */
	CompletableFuture<Void> add() {
		CompletableFuture<Void> added = new CompletableFuture<>();
		CompletableFuture<Void> before = this.next.compareAndExchange(null, added);
		return (before != null) ? before : added;
	}

	/** Adds a request to pass a sequence number. */
	CompletableFuture<Void> addPass(long sequence) {
		Pass pass = new Pass(sequence, new CompletableFuture<>());
		this.passes.add(pass);
		return pass.done();
	}

	boolean isEmpty() {
		return this.passes.isEmpty() && this.next.get() == null;
	}

	/** Takes the future of all requests for the next fsync, or {@code null}. */
	@Nullable CompletableFuture<Void> take() {
		return this.next.getAndSet(null);
	}

	/** The oldest request to pass a number, which stays until it is removed. */
	@Nullable Pass peekPass() {
		return this.passes.peek();
	}

	void removePass() {
		this.passes.remove();
	}

	/** Completes a request by the result of its fsync. */
	static void complete(CompletableFuture<Void> asked, boolean isDone) {
		if (isDone) {
			asked.complete(null);
		}
		else {
			asked.completeExceptionally(
					new StorageFailedException("there is no room on the disk to fsync large values", null));
		}
	}

	/** Fails all requests. */
	void failAll(StorageFailedException cause) {
		CompletableFuture<Void> asked = take();
		if (asked != null) {
			asked.completeExceptionally(cause);
		}
		for (Pass left = this.passes.poll(); left != null; left = this.passes.poll()) {
			left.done().completeExceptionally(cause);
		}
	}

}
