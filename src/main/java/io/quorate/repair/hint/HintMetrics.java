package io.quorate.repair.hint;

import java.util.function.Supplier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.meter.MeterByTag;
import io.quorate.repair.meter.RepairMeters;

/**
 * Counts the hints that are stored, handed over and dropped. Safe for any number of
 * threads.
 */
final class HintMetrics {

	private final MeterRegistry registry;

	private final MeterByTag<Drop, Counter> dropped;

	HintMetrics(MeterRegistry registry) {
		this.registry = registry;
		this.dropped = new MeterByTag<>(Drop.class,
				(reason) -> RepairMeters.HINTS_DROPPED.counter(registry, MeterByTag.word(reason)));
	}

	void dropped(Drop reason, long hints) {
		this.dropped.of(reason).increment((double) hints);
	}

	/** Number of dropped hints, of all reasons. */
	double allDropped() {
		double sum = 0;
		for (Drop reason : Drop.values()) {
			sum += this.dropped.of(reason).count();
		}
		return sum;
	}

	Peer peer(String id) {
		return new Peer(id);
	}

	/** The reasons for which hints are dropped. */
	enum Drop {

		/** No room in the queue. */
		QUEUE,

		/** No room for the member. */
		FULL,

		/** No room on the disk. */
		DISK,

		/** It could not be written. */
		FAILED,

		/** It became too old. */
		EXPIRED,

		/** The member has refused it as too old. */
		FENCED,

		/** The member has failed to take it again and again. */
		REFUSED,

		/** It could not be read. */
		DAMAGED

	}

	/** The meters of one member. */
	final class Peer {

		private final String id;

		private final Counter stored;

		private final Counter handedOver;

		private Peer(String id) {
			this.id = id;
			this.stored = RepairMeters.HINTS_STORED.counter(HintMetrics.this.registry, id);
			this.handedOver = RepairMeters.HINTS_HANDED_OVER.counter(HintMetrics.this.registry, id);
		}

		void stored(int hints) {
			this.stored.increment((double) hints);
		}

		void handedOver() {
			this.handedOver.increment();
		}

		void dropped(Drop reason, long hints) {
			HintMetrics.this.dropped(reason, hints);
		}

		void owed(Supplier<BacklogSize> owed) {
			RepairMeters.HINTS_OWED.gauge(HintMetrics.this.registry, owed, (now) -> now.get().count(), this.id);
		}

	}

}
