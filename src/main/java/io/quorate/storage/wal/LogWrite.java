package io.quorate.storage.wal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.Promise;
import io.quorate.storage.record.StoredEntry.Promised;
import io.quorate.storage.record.StoredEntry;
import org.jspecify.annotations.Nullable;

/**
 * An entry, or a promise, to be written to the log, with the future of its caller. The
 * thread that submits it hands it to the log's thread, which alone touches it from then
 * on.
 */
public final class LogWrite {

	private final Key key;

	private StoredEntry entry;

	private final Executor callbacks;

	private final long untilNanos;

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
		this(key, entry, 0, callbacks);
	}

	private LogWrite(Key key, StoredEntry entry, long untilNanos, Executor callbacks) {
		this.key = key;
		this.entry = entry;
		this.untilNanos = untilNanos;
		this.callbacks = callbacks;
	}

	/**
	 * A promise to be made.
	 * @param untilNanos deadline of the request that asks for it
	 * @param callbacks executor that completes the future
	 */
	public static LogWrite promise(Key key, Timestamp ballot, long untilNanos, Executor callbacks) {
		return new LogWrite(key, StoredEntry.promised(ballot, false), untilNanos, callbacks);
	}

	/** A promise to be taken back, for which no caller waits. */
	public static LogWrite release(Key key, Timestamp ballot) {
		return new LogWrite(key, StoredEntry.promised(ballot, true), 0, Runnable::run);
	}

	/**
	 * Whether it is fsynced before its caller is notified, whatever {@code wal.sync} is:
	 * a round relies on it, be it a promise or the entry of a round.
	 */
	boolean isForced() {
		return (this.entry.payload() instanceof Promised(var isReleased)) ? !isReleased : this.entry.lineage() != null;
	}

	/** The promise that it makes. */
	Promise toPromise() {
		return new Promise(this.key, this.entry.timestamp(), this.submittedNanos, this.untilNanos);
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

	/** The result, {@code null} as long as there is none. */
	public @Nullable ApplyResult result() {
		return this.result;
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
