package io.quorate.repair.overview;

import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.repair.HintBacklogs;
import io.quorate.repair.antientropy.AntiEntropy;
import io.quorate.repair.antientropy.ComparisonResponder;
import io.quorate.repair.purge.PurgeView;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class OverviewConfiguration {

	@Bean
	RepairOverview repairOverview(Layouts layouts, Membership membership, HintBacklogs hints, AntiEntropy comparisons,
			ComparisonResponder answers, PurgeView purges) {
		return new GatheredOverview(layouts, membership, hints, comparisons, answers, purges);
	}

}
