package io.quorate.membership;

import io.quorate.storage.StoreOwner;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({ NodeProperties.class, ClusterProperties.class })
class MembershipConfiguration {

	@Bean
	StoreOwner storeOwner(NodeProperties node, ClusterProperties cluster) {
		return StoreOwner.alone(node.id(), cluster.name());
	}

}
