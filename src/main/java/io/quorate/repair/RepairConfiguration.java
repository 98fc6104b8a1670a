package io.quorate.repair;

import io.quorate.clock.LongestDeadline;
import io.quorate.repair.purge.PurgeTerms;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(RepairProperties.class)
class RepairConfiguration {

	@Bean
	PurgeTerms purgeTerms(RepairProperties properties, LongestDeadline longest) {
		return new PurgeTerms(properties.gracePeriod(), longest.time());
	}

}
