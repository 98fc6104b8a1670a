package io.quorate.coordinator;

import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.quorate.clock.HybridClock;
import io.quorate.clock.LongestDeadline;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.TrueTime;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import io.quorate.repair.HintSink;
import io.quorate.replica.LocalReplica;
import io.quorate.replica.Replicas;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.Store;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(CoordinatorProperties.class)
class CoordinatorConfiguration {

	/* A larger value comes from one replica, and digests from the others. */
	private static final int DIGEST_ABOVE_BYTES = 16 * 1024;

	@Bean
	Admission admission(CoordinatorProperties properties, MeterRegistry meters) {
		return new Admission(properties.maxRequests(), properties.maxBytesOrDefault(), meters);
	}

	@Bean
	LongestDeadline longestDeadline(CoordinatorProperties properties) {
		return new LongestDeadline(properties.maxTimeout());
	}

	@Bean
	ValueLimit valueLimit(StorageProperties storage) {
		return new ValueLimit(Math.toIntExact(storage.maxValueSize().toBytes()));
	}

	@Bean
	ClusterView clusterView(Layouts layouts, Membership membership, Replicas replicas, SkewJudge judge,
			TrueTime trueTime, HintSink missed) {
		return new ClusterView(layouts.self(), layouts.derive((layout) -> RingPreferenceLists.of(layout.version(),
				layout.rings(), replicas.planned(layout.version()))), new AbsentMembers(membership), judge, trueTime,
				missed);
	}

	@Bean
	QuorumCoordinator coordinator(HybridClock clock, ClusterView clusterView, Store store, Admission admission,
			LocalReplica local, MeterRegistry meters) {
		QuorumCoordinator coordinator = new QuorumCoordinator(clock, clusterView, DIGEST_ABOVE_BYTES, meters);
		coordinator.settle(store, admission);
		local.runHandovers((key, write, deadline) -> coordinator.handedOver(key, write, deadline, admission));
		return coordinator;
	}

	@Bean
	KeyWaits keyWaits(QuorumCoordinator coordinator, Admission admission, LocalReplica local) {
		KeyWaits waits = KeyWaits.ticking(KeyWaits.by(coordinator), admission);
		local.onStored(waits::stored);
		return waits;
	}

	@Bean
	ReplicationLatency replicationLatency(QuorumCoordinator coordinator) {
		return coordinator.spread();
	}

	@Bean
	MeterBinder partitionMeters(Layouts layouts, Membership membership) {
		Predicate<String> isConnected = (member) -> membership.stateOf(member) != MemberState.DISCONNECTED;
		Supplier<PartitionHealth> partitions = layouts.derive((layout) -> new PartitionHealth(layout.rings()));
		return (registry) -> {
			CoordinatorMeters.QUORUM_PARTITIONS.gauge(registry, partitions,
					(health) -> health.get().unavailable(isConnected), "unavailable");
			CoordinatorMeters.QUORUM_PARTITIONS.gauge(registry, partitions,
					(health) -> health.get().degraded(isConnected), "degraded");
		};
	}

	/** The members that are not up: silent, about to stop, or disconnected. */
	record AbsentMembers(Membership membership) implements Suspects {

		@Override
		public boolean isSuspect(String node) {
			return this.membership.stateOf(node) != MemberState.UP;
		}

		@Override
		public void onSuspect(Consumer<String> listener) {
			this.membership.onSuspect(listener);
		}

	}

}
