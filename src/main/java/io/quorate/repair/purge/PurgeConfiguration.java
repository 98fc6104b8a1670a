package io.quorate.repair.purge;

import io.quorate.clock.HybridClock;
import io.quorate.clock.Timestamp;
import io.quorate.membership.Membership;
import io.quorate.membership.Layouts;
import io.quorate.repair.antientropy.AgreementListener;
import io.quorate.repair.purge.PurgePermission.Terms;
import io.quorate.repair.record.OwnRecords;
import io.quorate.storage.PurgePolicy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

@Configuration(proxyBeanMethods = false)
class PurgeConfiguration {

	@Bean
	ReplicaSets replicaSets(Layouts layouts) {
		return new ReplicaSets(layouts.ring(), layouts.self());
	}

	@Bean
	ClusterPurgePolicy clusterPurgePolicy(ReplicaSets sets, PurgeTerms terms, HybridClock clock) {
		return new ClusterPurgePolicy(sets, terms.grace(), clock::currentMillis);
	}

	/** A node without peers needs no agreement. */
	@Bean
	@Primary
	PurgePolicy purgePolicy(Layouts layouts, ClusterPurgePolicy policy, HybridClock clock) {
		return layouts.isAlone() ? PurgePolicy.alone(clock::currentMillis) : policy;
	}

	@Bean
	ClusterDeadline clusterDeadline(PurgeTerms terms) {
		return new ClusterDeadline(terms.longestDeadline());
	}

	@Bean
	PurgePermission purgePermission(ReplicaSets sets, OwnRecords records, ClusterPurgePolicy policy, PurgeTerms terms,
			ClusterDeadline deadline, HybridClock clock) {
		return new PurgePermission(sets, new Marks(deadline), records.peers(), records.horizon(), policy,
				new Terms(terms.grace(), clock::currentMillis, System::nanoTime));
	}

	@Bean
	AgreementListener agreements(PurgePermission purgePermission, OwnRecords records) {
		return new PurgeAgreements(purgePermission, records.horizon());
	}

	@Bean
	PurgeView purgeView(PurgePermission purgePermission, Membership membership, HybridClock clock) {
		return new PurgeView(purgePermission, membership, Timestamp.hybridOfMillis(clock.currentMillis()));
	}

	@Bean
	PurgeMetrics purgeMetrics(PurgeView view) {
		return new PurgeMetrics(view);
	}

}
