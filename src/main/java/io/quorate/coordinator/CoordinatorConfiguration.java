package io.quorate.coordinator;

import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.replica.Replica;
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
	QuorumCoordinator coordinator(HybridClock clock, SkewJudge judge, Replica local) {
		Cluster alone = new Cluster(local.nodeId(), PreferenceLists.alone(local), Suspects.NONE, judge,
				new CountedMisses());
		return new QuorumCoordinator(clock, alone, ReadContacts.BEST_FIRST);
	}

}
