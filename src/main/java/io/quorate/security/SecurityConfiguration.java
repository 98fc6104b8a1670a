package io.quorate.security;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Configuration;

/** Wires the room: the log key is in use once this bean is there. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(SecurityProperties.class)
class SecurityConfiguration {

	SecurityConfiguration(SecurityProperties properties) {
		byte[] logKey = properties.logKeyBytes();
		if (logKey != null) {
			LoggedKey.use(logKey);
		}
	}

}
