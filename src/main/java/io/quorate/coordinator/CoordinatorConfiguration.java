package io.quorate.coordinator;

import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.membership.Membership;
import io.quorate.membership.Topology;
import io.quorate.replica.Replicas;
import io.quorate.storage.StorageProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(CoordinatorProperties.class)
class CoordinatorConfiguration {

	@Bean
	Admission admission(CoordinatorProperties properties) {
		return new Admission(properties.maxRequests(), properties.maxBytesOrDefault());
	}

	@Bean
	ValueLimit valueLimit(StorageProperties storage) {
		return new ValueLimit(Math.toIntExact(storage.maxValueSize().toBytes()));
	}

	@Bean
	QuorumCoordinator coordinator(HybridClock clock, SkewJudge judge, Topology topology, Membership membership,
			Replicas replicas) {
		Cluster cluster = new Cluster(topology.self(), new RingLists(topology.ring(), replicas.byNode()),
				new AbsentMembers(membership), judge, new CountedMisses());
		return new QuorumCoordinator(clock, cluster, ReadContacts.BEST_FIRST);
	}

}
