package io.quorate.membership;

import java.util.stream.Collectors;

import io.quorate.ring.Member;
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
	Topology topology(NodeProperties node, ClusterProperties cluster) {
		return Topology.of(node.id(), cluster.members(), cluster.replicationFactor());
	}

	@Bean
	Membership membership(Topology topology) {
		return new Membership(topology);
	}

	@Bean
	NodeVersion nodeVersion(ObjectProvider<BuildProperties> build) {
		return NodeVersion.of(build);
	}

	@Bean
	StopLeases stopLeases(Topology topology, Membership membership) {
		return new StopLeases(topology, membership, System::nanoTime);
	}

	@Bean
	StoreOwner storeOwner(Topology topology, ClusterProperties cluster) {
		return new StoreOwner(topology.self(), cluster.name(),
				topology.ring().members().stream().collect(Collectors.toMap(Member::id, Member::zone)),
				topology.ring().replicationFactor());
	}

}
