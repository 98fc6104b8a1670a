package io.quorate.coordinator;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.clock.Deadline;
import io.quorate.coordinator.CoordinatorMetrics.Repair;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Origin;
import io.quorate.replica.Replica;

/**
 * The repair of stale replicas for which no client waits. Repairs under way are bounded
 * in number and bytes, so that the requests of clients find room. A repair beyond the
 * bounds is left out and counted, for a later read is going to find the replica stale
 * again. Safe for any number of threads.
 */
final class BackgroundReadRepair {

	private static final long MAX_BYTES = 32L * 1024 * 1024;

	private static final int MAX_UNDER_WAY = 256;

	private final AtomicInteger underWay = new AtomicInteger();

	private final AtomicLong bytes = new AtomicLong();

	private final CoordinatorMetrics metrics;

	BackgroundReadRepair(CoordinatorMetrics metrics) {
		this.metrics = metrics;
	}

	/**
	 * Sends an entry to replicas that hold none or an older one.
	 * @param deadline after which the entry must not arrive any more
	 */
	void repair(Key key, Entry entry, List<Replica> stale, Deadline deadline) {
		long size = (long) key.size() + ReadTally.valueBytes(entry);
		for (Replica replica : stale) {
			if (!tryBegin(size)) {
				this.metrics.repairLeftOut();
				continue;
			}
			replica.apply(key, entry, Origin.REPAIR, deadline).subscribe((reply) -> {
				end(size);
				this.metrics.repaired(Repair.LATE, reply);
			});
		}
	}

	private boolean tryBegin(long size) {
		int count = this.underWay.incrementAndGet();
		long all = this.bytes.addAndGet(size);
		if (count <= MAX_UNDER_WAY && all <= MAX_BYTES) {
			return true;
		}
		end(size);
		return false;
	}

	private void end(long size) {
		this.underWay.decrementAndGet();
		this.bytes.addAndGet(-size);
	}

}
