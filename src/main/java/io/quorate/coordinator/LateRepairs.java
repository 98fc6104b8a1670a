package io.quorate.coordinator;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import io.quorate.clock.Deadline;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;

/**
 * The repair of stale replicas that nobody waits for. Bounded in bytes under way: what is
 * beyond is left out and counted, for it is going to be found again. Safe for any number
 * of threads.
 */
final class LateRepairs {

	private static final long MAX_BYTES = 32L * 1024 * 1024;

	private static final long OVERHEAD_BYTES = 256;

	private final AtomicLong bytes = new AtomicLong();

	private final LongAdder repaired = new LongAdder();

	private final LongAdder leftOut = new LongAdder();

	/**
	 * Sends an entry to replicas that hold none or an older one.
	 * @param deadline after which it must not arrive any more
	 */
	void repair(Key key, Entry entry, List<Replica> stale, Deadline deadline) {
		for (Replica replica : stale) {
			long size = size(key, entry);
			if (this.bytes.addAndGet(size) > MAX_BYTES) {
				this.bytes.addAndGet(-size);
				this.leftOut.increment();
				continue;
			}
			replica.apply(key, entry, deadline).subscribe((reply) -> {
				this.bytes.addAndGet(-size);
				if (reply instanceof WriteReply.Applied) {
					this.repaired.increment();
				}
			});
		}
	}

	private static long size(Key key, Entry entry) {
		int value = (entry instanceof Entry.Live live) ? live.value().size() : 0;
		return OVERHEAD_BYTES + key.size() + value;
	}

	/** Repairs that a replica has acknowledged. */
	long repaired() {
		return this.repaired.sum();
	}

	/** Repairs that were left out because too much was under way. */
	long leftOut() {
		return this.leftOut.sum();
	}

}
