package io.quorate.internode;

import java.util.Map;
import java.util.SequencedMap;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.replica.Replica;
import io.quorate.storage.Store;

/**
 * Opens the replicas of a cluster that lives within this process, for a warm-up: one is
 * local, the others are reached through connections of the process to itself, over
 * loopback and without TLS.
 */
@FunctionalInterface
public interface ScratchReplicas {

	/**
	 * Opens replicas, and waits until their connections are up.
	 * @param stores the store of each replica by its id, the local one first
	 * @param clock has observed every timestamp that the stores hold
	 * @param meters registry of the meters
	 * @throws IllegalStateException when a connection is not up within 10 s
	 */
	Opened open(SequencedMap<String, Store> stores, HybridClock clock, SkewJudge judge, MeterRegistry meters);

	/** Replicas that are open, by their ids, until they are closed. */
	interface Opened extends AutoCloseable {

		/** The replicas by their ids. */
		Map<String, Replica> replicas();

		@Override
		void close();

	}

}
