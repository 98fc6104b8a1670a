package io.quorate.storage.values;

import java.io.IOException;
import java.util.Collection;
import java.util.List;

import io.quorate.entry.Value;
import io.quorate.storage.record.StoredEntry.Reference;
import org.jspecify.annotations.Nullable;

/**
 * Appends values to a file of its own, and begins the next when that is full. Its methods
 * exclude each other.
 */
public final class ValueWriter implements AutoCloseable {

	private static final long NONE = -1;

	private final ValueFiles files;

	private final long maxFileBytes;

	private final Registrar registrar;

	private @Nullable ValueFile file;

	/* The number of a file that could not be made, for the next attempt. */
	private long reserved = NONE;

	private boolean registered;

	private long end;

	private long forced;

	/**
	 * A writer that begins a file with its first value.
	 * @param maxFileBytes size at which the next file is begun
	 * @param registrar records a file durably before it is written
	 */
	public ValueWriter(ValueFiles files, long maxFileBytes, Registrar registrar) {
		this.files = files;
		this.maxFileBytes = maxFileBytes;
		this.registrar = registrar;
	}

	/**
	 * Writes a value without an fsync. The file of the value is held once more for the
	 * caller, who releases it when another holder has it or the reference is dropped.
	 */
	public synchronized Reference append(Value value) throws IOException {
		ValueFile current = this.file;
		if (current == null || this.end >= this.maxFileBytes) {
			current = begin();
		}
		Reference reference = current.append(value, this.end);
		this.end = ValueFile.endOf(reference);
		current.retain();
		return reference;
	}

	/**
	 * Waits until every value appended is on the disk.
	 * @throws IOException when they are not; if the disk is full a later call tries to
	 * save them into another file, else a power failure loses them
	 */
	public synchronized void force() throws IOException {
		ValueFile current = this.file;
		if (current != null && this.forced < this.end) {
			long all = this.end;
			current.force(all);
			this.forced = all;
		}
	}

	/**
	 * Gives up the values that were appended and not fsynced, and that no client was
	 * promised: the next value begins another file.
	 */
	public synchronized void abandon() {
		ValueFile current = this.file;
		if (current != null) {
			this.file = null;
			current.complete(this.end);
			this.files.release(List.of(current.number()));
		}
	}

	private ValueFile begin() throws IOException {
		finish();
		if (this.reserved == NONE) {
			this.reserved = this.files.reserve();
		}
		if (!this.registered) {
			this.registrar.register(this.reserved);
			this.registered = true;
		}
		ValueFile next = this.files.create(this.reserved);
		this.reserved = NONE;
		this.registered = false;
		this.file = next;
		this.end = next.sizeBytes();
		this.forced = 0;
		return next;
	}

	/** Fsyncs the file and releases it; the next value begins another. */
	public synchronized void finish() throws IOException {
		ValueFile full = this.file;
		if (full != null) {
			force();
			this.file = null;
			full.complete(this.end);
			this.files.release(List.of(full.number()));
		}
	}

	/**
	 * As {@link #finish()} if the current file is one of these; afterwards none of them
	 * changes any more, and all of them are on the disk.
	 */
	public synchronized void finish(Collection<Long> numbers) throws IOException {
		ValueFile current = this.file;
		if (current != null && numbers.contains(current.number())) {
			finish();
		}
	}

	/**
	 * As {@link #finish()}. Since it is the last call, it tries the fsync whatever has
	 * failed before.
	 */
	@Override
	public synchronized void close() throws IOException {
		ValueFile current = this.file;
		if (current != null) {
			current.retryAtOnce();
		}
		finish();
	}

	/** Records that a value file is about to exist. */
	@FunctionalInterface
	public interface Registrar {

		/** Returns when the number is durably recorded. */
		void register(long number) throws IOException;

	}

}
