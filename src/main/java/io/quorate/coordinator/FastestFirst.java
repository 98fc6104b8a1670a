package io.quorate.coordinator;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The order of replicas by latency: this node first, then its peers by the moving average
 * of their latency, suspects last. An average that is not renewed is halved every second,
 * so that a node that was slow once is tried again. Safe for any number of threads; of
 * two latencies that threads note at the same time one may be lost.
 */
final class FastestFirst implements ReplicaOrder {

	private static final int WEIGHT_SHIFT = 3;

	private static final int HALF_LIFE_MAX = 40;

	private final String local;

	private final Suspects suspects;

	private final LongSupplier nanoTime;

	private final Map<String, Average> averages = new ConcurrentHashMap<>();

	FastestFirst(String local, Suspects suspects, LongSupplier nanoTime) {
		this.local = local;
		this.suspects = suspects;
		this.nanoTime = nanoTime;
	}

	@Override
	public long rank(String node) {
		if (this.suspects.isSuspect(node)) {
			return Long.MAX_VALUE;
		}
		if (node.equals(this.local)) {
			return -1;
		}
		Average average = this.averages.get(node);
		return (average != null) ? average.at(this.nanoTime.getAsLong()) : 0;
	}

	@Override
	public void answered(String node, long nanos) {
		long now = this.nanoTime.getAsLong();
		Average before = this.averages.get(node);
		long next = (before != null) ? before.nanos + ((nanos - before.nanos) >> WEIGHT_SHIFT) : nanos;
		this.averages.put(node, new Average(next, now));
	}

	private record Average(long nanos, long notedAtNanos) {

		private long at(long now) {
			long seconds = TimeUnit.NANOSECONDS.toSeconds(now - this.notedAtNanos);
			return this.nanos >> Math.min(seconds, HALF_LIFE_MAX);
		}

	}

}
