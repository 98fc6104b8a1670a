package io.quorate.storage.wal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.quorate.entry.Key;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.record.StoredEntry;
import org.jspecify.annotations.Nullable;

/**
 * An entry to be written to the log, with the future of its caller. The thread that
 * submits it hands it to the log's thread, which alone touches it from then on.
 */
public final class LogWrite {

	private final Key key;

	private StoredEntry entry;

	private final Executor callbacks;

	private final long submittedNanos = System.nanoTime();

	private final CompletableFuture<ApplyResult> waiter = new CompletableFuture<>();

	private @Nullable ApplyResult result;

	private @Nullable RuntimeException failure;

	/**
	 * A write of an entry.
	 * @param entry its sequence number is given to it by the log
	 * @param callbacks executor that completes the future
	 */
	public LogWrite(Key key, StoredEntry entry, Executor callbacks) {
		this.key = key;
		this.entry = entry;
		this.callbacks = callbacks;
	}

	/** The key. */
	public Key key() {
		return this.key;
	}

	/** The entry, with its sequence number once the log has taken it up. */
	public StoredEntry entry() {
		return this.entry;
	}

	/** The future of the caller, completed on the given executor when all is done. */
	public CompletableFuture<ApplyResult> waiter() {
		return this.waiter;
	}

	/** Sets the result; the future is completed with the rest of the batch. */
	public void resolve(ApplyResult outcome) {
		this.result = outcome;
	}

	/** Sets the failure; the future is completed with the rest of the batch. */
	public void fail(RuntimeException cause) {
		this.failure = cause;
	}

	/** Time of submission, as {@link System#nanoTime} counts. */
	long submittedNanos() {
		return this.submittedNanos;
	}

	Executor callbacks() {
		return this.callbacks;
	}

	void number(long sequence) {
		this.entry = this.entry.withSequence(sequence);
	}

	void tell() {
		if (this.failure != null) {
			this.waiter.completeExceptionally(this.failure);
		}
		else if (this.result != null) {
			this.waiter.complete(this.result);
		}
		else {
			this.waiter.completeExceptionally(new IllegalStateException("a write was left without an outcome"));
		}
	}

}
