package io.quorate.storage.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.quorate.entry.Key;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.DiskFullException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;

/** The next step for written large values: their references go to the log. */
final class AfterValue implements LargeValues.Next {

	private final Submission submission;

	private final MemtableWriter memtableWriter;

	private final DiskSpace disk;

	private final Consumer<StorageFailedException> failed;

	private final Supplier<StorageFailedException> closed;

	/** The way of an entry to the log. */
	@FunctionalInterface
	interface Submission {

		CompletableFuture<ApplyResult> submit(Key key, StoredEntry entry, Executor callbacks);

	}

	/**
	 * A step before the log.
	 * @param failed receives the failure of a value file, after which nothing may be
	 * written any more
	 * @param closed makes the exception for writers after the store was closed
	 */
	AfterValue(Submission submission, MemtableWriter memtableWriter, DiskSpace disk,
			Consumer<StorageFailedException> failed, Supplier<StorageFailedException> closed) {
		this.submission = submission;
		this.memtableWriter = memtableWriter;
		this.disk = disk;
		this.failed = failed;
		this.closed = closed;
	}

	@Override
	public CompletableFuture<ApplyResult> written(Key key, StoredEntry entry, Executor callbacks) {
		return this.submission.submit(key, entry, callbacks).whenComplete((_, failure) -> {
			if (failure instanceof StorageOverloadedException || failure instanceof DiskFullException) {
				this.memtableWriter.release(entry.payload());
			}
		});
	}

	@Override
	public RuntimeException failed(Throwable cause, List<Reference> written) {
		written.forEach(this.memtableWriter::release);
		if (this.disk.causedBy(cause)) {
			return this.disk.exception();
		}
		StorageFailedException failure = new StorageFailedException(
				"a value file cannot be written; restart the node: " + cause, cause);
		this.failed.accept(failure);
		// No record of the log refers to any of these values.
		return failure.refusing();
	}

	@Override
	public RuntimeException closed() {
		return this.closed.get().refusing();
	}

}
