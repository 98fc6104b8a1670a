package io.quorate.storage.engine;

import java.util.concurrent.atomic.AtomicLong;

import io.quorate.storage.StorageOverloadedException.Bound;
import io.quorate.storage.StorageOverloadedException;

/**
 * A bound on the bytes of large values that were read and that their callers have not
 * taken over yet. Reads are many, and each may bring a value of the largest size.
 * Lock-free, for any number of threads.
 */
final class ReadBudget {

	private final long limitBytes;

	private final AtomicLong bytes = new AtomicLong();

	ReadBudget(long limitBytes) {
		this.limitBytes = limitBytes;
	}

	/** An eighth of the heap. */
	static ReadBudget ofHeap() {
		return new ReadBudget(Runtime.getRuntime().maxMemory() / 8);
	}

	/** A new read, which has taken nothing. */
	Taken nothing() {
		return new Taken();
	}

	/** Bytes that are taken now. */
	long bytes() {
		return this.bytes.get();
	}

	/** The bytes that one read has taken. Used by one thread at a time. */
	final class Taken {

		private long taken;

		private Taken() {
		}

		/**
		 * Takes room for a value before the value is read. A single value always has
		 * room, however large it is.
		 * @throws StorageOverloadedException when there is none
		 */
		void take(long sizeBytes) {
			long all = ReadBudget.this.bytes.addAndGet(sizeBytes);
			if (all > ReadBudget.this.limitBytes && all > sizeBytes) {
				ReadBudget.this.bytes.addAndGet(-sizeBytes);
				throw new StorageOverloadedException(Bound.VALUE_BYTES, ReadBudget.this.limitBytes);
			}
			this.taken += sizeBytes;
		}

		/** Returns all bytes to the budget, once. */
		void release() {
			ReadBudget.this.bytes.addAndGet(-this.taken);
			this.taken = 0;
		}

	}

}
