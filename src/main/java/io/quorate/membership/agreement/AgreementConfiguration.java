package io.quorate.membership.agreement;

import io.quorate.consensus.Ledger;
import io.quorate.membership.members.ClusterProperties;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.reports.MemberReports;
import io.quorate.storage.Store;
import io.quorate.storage.StoreIdentity;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class AgreementConfiguration {

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

}
