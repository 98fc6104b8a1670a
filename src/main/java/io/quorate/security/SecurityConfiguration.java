package io.quorate.security;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Configuration;

/**
 * Makes the beans of this room: the key of the hash by which logs name the keys of
 * clients is in use once they are there.
 */
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
