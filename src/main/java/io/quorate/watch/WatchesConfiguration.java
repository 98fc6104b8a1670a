package io.quorate.watch;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.clock.Deadline;
import io.quorate.clock.TimeSource;
import io.quorate.coordinator.Admission;
import io.quorate.coordinator.Consistency;
import io.quorate.coordinator.Coordinator;
import io.quorate.coordinator.ReadOutcome;
import io.quorate.coordinator.RequestContext;
import io.quorate.coordinator.RequestTimeline;
import io.quorate.entry.Key;
import io.quorate.repair.RepairProperties;
import io.quorate.repair.record.OwnRecords;
import io.quorate.repair.record.PeerRecords;
import io.quorate.storage.Store;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

@Configuration(proxyBeanMethods = false)
class WatchesConfiguration {

	private static final Consistency OF_ALL = new Consistency(Integer.MAX_VALUE, Consistency.ALL);

	private static final Duration READ_TIMEOUT = Duration.ofSeconds(2);

	private static final int PART_OF_HEAP = 16;

	/* So that clients do not come to the other nodes all at once. */
	private static final Duration STOP = Duration.ofSeconds(2);

	@Bean
	Surroundings surroundings(Coordinator coordinator, Admission admission, TimeSource time, OwnRecords records) {
		ScheduledThreadPoolExecutor turns = Watches.executor();
		return new Surroundings(coordinator::lists,
				(key, isOfAll) -> read(key, isOfAll ? OF_ALL : Consistency.DEFAULT, coordinator, admission), turns,
				new Surroundings.Clocks(System::nanoTime, time::millis, coordinator::trueMillis),
				() -> history(records),
				new Surroundings.Bounds(Watch.MOST_EVENTS, Runtime.getRuntime().maxMemory() / PART_OF_HEAP));
	}

	@Bean
	Watches watches(Surroundings surroundings, Store store, RepairProperties repair, MeterRegistry meters) {
		return new Watches(surroundings, repair.gracePeriod(), STOP, new WatchMetrics(meters))
			.ticking((ScheduledThreadPoolExecutor) surroundings.turns(), () -> store.arrivals().tick());
	}

	/* Only a read at one instant tells the version of a deletion. */
	private static Mono<ReadOutcome> read(Key key, Consistency consistency, Coordinator coordinator,
			Admission admission) {
		return Mono.using(() -> admission.admit(0), (permit) -> {
			RequestContext context = new RequestContext(consistency, Deadline.after(READ_TIMEOUT), permit,
					new RequestTimeline(System.nanoTime()));
			return coordinator.read(key, context)
				.flatMap((outcome) -> (outcome instanceof ReadOutcome.Missing)
						? coordinator.readLinearizable(key, context) : Mono.just(outcome));
		}, Admission.Permit::close, false);
	}

	/* A restored cluster has the history of before, and was restored once more. */
	private static long history(OwnRecords records) {
		PeerRecords peers = records.peers();
		return peers.knowsIncarnation() ? peers.history() + peers.incarnation() : Surroundings.UNKNOWN_HISTORY;
	}

}
