package io.quorate;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.http.HttpResources;

/**
 * Lets the event loops of the process outlive each node within it: Spring ends them with
 * the first context that is closed, and with them every other node. Registered for every
 * context of a test by the service file.
 */
public final class KeptEventLoops implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		context.getBeanFactory().addBeanPostProcessor(new BeanPostProcessor() {

			@Override
			public Object postProcessBeforeInitialization(Object bean, String name) {
				if (bean instanceof ReactorResourceFactory factory && factory.isUseGlobalResources()) {
					HttpResources kept = HttpResources.get();
					factory.setUseGlobalResources(false);
					factory.setLoopResources(kept);
					factory.setConnectionProvider(kept);
				}
				return bean;
			}

		});
	}

}
