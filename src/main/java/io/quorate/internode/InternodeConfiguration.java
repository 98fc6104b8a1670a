package io.quorate.internode;

import io.quorate.clock.SkewJudge;
import io.quorate.replica.LocalReplica;
import io.quorate.storage.Store;
import io.quorate.storage.StoreOwner;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(InternodeProperties.class)
class InternodeConfiguration {

	@Bean
	LocalReplica localReplica(StoreOwner owner, Store store, SkewJudge judge) {
		return new LocalReplica(owner.node(), store, judge, EventLoops::current);
	}

}
