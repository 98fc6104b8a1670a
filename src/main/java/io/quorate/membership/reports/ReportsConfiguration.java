package io.quorate.membership.reports;

import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.storage.StoreIdentity;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.info.BuildProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class ReportsConfiguration {

	@Bean
	NodeVersion nodeVersion(ObjectProvider<BuildProperties> build) {
		return NodeVersion.of(build);
	}

	@Bean
	MemberReports memberReports(Layouts layouts, Membership membership, Upgrade upgrade, StoreIdentity identity) {
		return new MemberReports(layouts, membership, upgrade, identity);
	}

}
