package io.quorate.operations;

import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class OperationsConfiguration {

	@Bean
	AdminPath adminPath(WebEndpointProperties endpoints) {
		return new AdminPath(endpoints.getBasePath());
	}

}
