package io.quorate.storage.engine;

import java.util.concurrent.atomic.AtomicLong;

import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.StorageOverloadedException.Bound;

/**
 * A bound on the bytes of large values that have been read and that whoever asked has not
 * taken over yet: reads are many, and each may bring the largest value that there is.
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

	/** What a read begins with. */
	Taken nothing() {
		return new Taken();
	}

	/** Bytes that are taken now. */
	long bytes() {
		return this.bytes.get();
	}

	/** What one read has taken. Used by one thread at a time. */
	final class Taken {

		private long taken;

		private Taken() {
		}

		/**
		 * Takes room for a value before it is read. A value alone always has room,
		 * however large it is.
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

		/** Gives everything back, once. */
		void giveBack() {
			ReadBudget.this.bytes.addAndGet(-this.taken);
			this.taken = 0;
		}

	}

}
