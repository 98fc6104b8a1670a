package io.quorate.coordinator;

import java.util.concurrent.atomic.LongAdder;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;

/** Counts missed writes, and leaves it to reads to bring the replicas up to date. */
final class CountedMisses implements MissedWrites {

	private final LongAdder count = new LongAdder();

	@Override
	public void missed(Key key, Entry entry, String node) {
		this.count.increment();
	}

	long count() {
		return this.count.sum();
	}

}
