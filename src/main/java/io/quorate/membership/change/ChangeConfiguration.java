package io.quorate.membership.change;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.quorate.membership.agreement.LayoutAgreement;
import io.quorate.membership.agreement.LayoutProposals;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberReports;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class ChangeConfiguration {

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
	PlannedChanges plannedChanges(ClusterChanges changes, LayoutProposals proposals, LayoutOverview overview,
			MemberReports reports, LayoutAgreement agreement) {
		return new PlannedChanges(changes, proposals, overview, reports, agreement);
	}

	@Bean
	LayoutOverview layoutOverview(Layouts layouts, MemberReports reports, LayoutAgreement agreement) {
		return new LayoutOverview(layouts, reports, agreement);
	}

	@Bean
	LayoutMetrics layoutMetrics(Layouts layouts, LayoutOverview overview) {
		return new LayoutMetrics(layouts, overview);
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
