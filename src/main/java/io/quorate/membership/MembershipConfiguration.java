package io.quorate.membership;

import java.util.stream.Collectors;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.quorate.consensus.Ledger;
import io.quorate.ring.Member;
import io.quorate.storage.Store;
import io.quorate.storage.StoreIdentity;
import io.quorate.storage.StoreOwner;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.info.BuildProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({ NodeProperties.class, ClusterProperties.class })
class MembershipConfiguration {

	@Bean
	Layouts layouts(NodeProperties node, ClusterProperties cluster) {
		return Layouts.of(node.id(), cluster.members(), cluster.replicationFactor(), cluster.join(), cluster.seeds());
	}

	@Bean
	Membership membership(Layouts layouts) {
		return Membership.beforeLayout(layouts);
	}

	@Bean
	MemberReports memberReports(Layouts layouts, Membership membership, Upgrade upgrade, StoreIdentity identity) {
		return new MemberReports(layouts, membership, upgrade, identity);
	}

	@Bean
	LayoutAgreement layoutAgreement(Layouts layouts, StoreIdentity identity, Ledger ledger, MemberReports reports,
			Store store, ClusterProperties cluster) {
		try {
			LayoutAgreement agreement = new LayoutAgreement(layouts, identity.storageId(), ledger, reports,
					new StoreShares(store, identity));
			FirstAlone.check(layouts, store.assignedVersion());
			layouts.follow(new FirstAlone(layouts));
			reports.membership().layoutRead();
			return agreement;
		}
		catch (FormerMemberException left) {
			throw layouts.mayBeginAnew(cluster) ? left.beginningAnew(identity) : left;
		}
	}

	@Bean
	NodeVersion nodeVersion(ObjectProvider<BuildProperties> build) {
		return NodeVersion.of(build);
	}

	@Bean
	ChangeConditions changeConditions(Layouts layouts, Membership membership, Witnesses witnesses) {
		return new ChangeConditions(layouts, membership, witnesses);
	}

	@Bean
	ClusterChanges clusterChanges(Layouts layouts, ChangeConditions conditions, LayoutProposals proposals,
			CandidateContact candidates) {
		return new ClusterChanges(layouts, conditions, proposals, candidates);
	}

	@Bean
	LayoutOverview layoutOverview(Layouts layouts, MemberReports reports, LayoutAgreement agreement) {
		return new LayoutOverview(layouts, reports, agreement);
	}

	@Bean
	LayoutMetrics layoutMetrics(Layouts layouts, LayoutOverview overview) {
		return new LayoutMetrics(layouts, overview);
	}

	@Bean
	PlannedChanges plannedChanges(ClusterChanges changes, LayoutProposals proposals, LayoutOverview overview,
			MemberReports reports, LayoutAgreement agreement) {
		return new PlannedChanges(changes, proposals, overview, reports, agreement);
	}

	@Bean
	StoreOwner storeOwner(Layouts layouts, ClusterProperties cluster) {
		return new StoreOwner(layouts.self(), cluster.name(),
				layouts.configured().ring().members().stream().collect(Collectors.toMap(Member::id, Member::zone)),
				layouts.configured().ring().replicationFactor());
	}

	/**
	 * The gauges of the layout. Those of a peer that leaves are removed with all of its.
	 */
	record LayoutMetrics(Layouts layouts, LayoutOverview overview) implements MeterBinder {

		@Override
		public void bindTo(MeterRegistry registry) {
			MembershipMeters.LAYOUT_VERSION.gauge(registry, this.overview,
					(its) -> its.isMember() ? its.version() : Double.NaN);
			MembershipMeters.LAYOUT_JOINT.gauge(registry, this.overview, (its) -> (its.underWay() != null) ? 1 : 0);
			this.layouts.follow(new LayoutFollower() {

				@Override
				public void joins(Endpoint peer) {
					MembershipMeters.LAYOUT_BLOCKED.gauge(registry, LayoutMetrics.this.overview,
							(its) -> its.isHeldUpBy(peer.id()) ? 1 : 0, peer.id());
				}

			});
		}

	}

}
