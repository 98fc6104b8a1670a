package io.quorate.repair.purge;

import java.io.IOException;

import io.quorate.clock.HybridClock;
import io.quorate.clock.Timestamp;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutException;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.repair.antientropy.Agreement;
import io.quorate.repair.antientropy.AgreementListener;
import io.quorate.repair.purge.PurgePermission.Terms;
import io.quorate.repair.record.Horizon;
import io.quorate.repair.record.OwnRecords;
import io.quorate.replica.Failure;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class PurgeConfiguration {

	@Bean
	ClusterPurgePolicy clusterPurgePolicy(Layouts layouts, PurgeTerms terms, HybridClock clock) {
		return new ClusterPurgePolicy(setsBy(layouts.current(), layouts), terms.grace(), clock::currentMillis);
	}

	private static ReplicaSets setsBy(Layout layout, Layouts layouts) {
		return new ReplicaSets(layout.rings(), layouts.self());
	}

	@Bean
	ClusterDeadline clusterDeadline(PurgeTerms terms) {
		return new ClusterDeadline(terms.longestDeadline());
	}

	/**
	 * The permissions of this node.
	 * @param records are read when this node knows the last layout that it has adopted
	 */
	@Bean
	PurgePermission purgePermission(Layouts layouts, OwnRecords records, ClusterPurgePolicy policy, PurgeTerms terms,
			ClusterDeadline deadline, HybridClock clock) {
		PurgePermission permission = new PurgePermission(setsBy(layouts.current(), layouts), new Marks(deadline),
				records.peers(), records.horizon(), policy,
				new Terms(terms.grace(), clock::currentMillis, System::nanoTime));
		if (layouts.isAlone()) {
			permission.begunAlone();
		}
		else if (layouts.wasAloneBefore()) {
			// The process may have ended between the decision and the end of that time.
			permission.begunAlone();
			notAlone(permission, layouts.current());
		}
		layouts.follow(new LayoutFollower() {

			@Override
			public void reassigns(Layout later) {
				notAlone(permission, later);
				permission.assigned(setsBy(later, layouts));
			}

		});
		return permission;
	}

	private static void notAlone(PurgePermission permission, Layout later) {
		try {
			permission.endsAlone();
		}
		catch (IOException failure) {
			throw new LayoutException(
					"version %d of the layout is not adopted yet, the purge horizon is not on the disk: %s"
						.formatted(later.version(), failure.getMessage()),
					failure);
		}
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
	PurgeMetrics purgeMetrics(PurgeView view, Layouts layouts) {
		return new PurgeMetrics(view, layouts);
	}

	/** Passes the agreements of comparisons to the decision on purges. */
	record PurgeAgreements(PurgePermission purgePermission, Horizon horizon) implements AgreementListener {

		@Override
		public Timestamp purgeHorizon() {
			return new Timestamp(this.horizon.overall(), 0);
		}

		@Override
		public @Nullable Failure begins(Agreement agreement) {
			return this.purgePermission.begun(agreement.peer(), agreement.theirs().storageId(),
					agreement.round().number(), agreement.ours().durableSequence(), agreement.round().instant());
		}

		@Override
		public void completed(Agreement agreement) {
			this.purgePermission.completed(agreement.peer(), agreement.theirs().storageId(),
					agreement.round().number());
		}

	}

}
