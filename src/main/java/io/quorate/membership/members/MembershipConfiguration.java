package io.quorate.membership.members;

import java.util.stream.Collectors;

import io.quorate.ring.Member;
import io.quorate.storage.StoreOwner;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
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
	StoreOwner storeOwner(Layouts layouts, ClusterProperties cluster) {
		return new StoreOwner(layouts.self(), cluster.name(),
				layouts.configured().ring().members().stream().collect(Collectors.toMap(Member::id, Member::zone)),
				layouts.configured().ring().replicationFactor());
	}

}
