package io.quorate.spring.boot;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Set;
import java.util.stream.Stream;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.Context;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.quorate.client.QuorateClient;
import io.quorate.spring.boot.autoconfigure.QuorateAutoConfiguration;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.springframework.aop.framework.AopProxy;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.Resource;
import org.springframework.expression.Expression;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/** An application that has the starter, and what Spring Boot itself needs. */
class PlainApplicationTests extends NodeTests {

	/* One class of each library. */
	private static final Set<Class<?>> LIBRARIES = Set.of(PlainApplicationTests.class, QuorateAutoConfiguration.class,
			QuorateClient.class, SpringApplication.class, AutoConfiguration.class, ConfigurableApplicationContext.class,
			BeanFactory.class, Resource.class, AopProxy.class, Expression.class, Log.class, Observation.class,
			KeyValue.class, Logger.class, LoggerContext.class, Context.class, NullMarked.class);

	private URLClassLoader plain() {
		URL[] places = LIBRARIES.stream()
			.map((each) -> each.getProtectionDomain().getCodeSource().getLocation())
			.toArray(URL[]::new);
		return opened(new URLClassLoader(places, ClassLoader.getPlatformClassLoader()));
	}

	@Test
	void applicationNeedsNoneOfTheOptionalLibraries() throws ReflectiveOperationException {
		ClassLoader loader = plain();
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		thread.setContextClassLoader(loader);
		try {
			Stream<?> beans = (Stream<?>) loader.loadClass(Application.class.getName()).getMethod("beans").invoke(null);
			assertThat(beans.map(Object::toString)).contains("quorateClient", "quorateConfigRefresh", "cacheManager");
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

	/** The application, whose classes have no test library beside them. */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableCaching
	public static class Application {

		/** Starts the application, and returns the names of its beans. */
		public static Stream<String> beans() {
			SpringApplication application = new SpringApplication(Application.class);
			application.setRegisterShutdownHook(false);
			try (ConfigurableApplicationContext context = application.run("--quorate.client.cache.enabled=true",
					"--quorate.client.session.enabled=true", "--quorate.client.lock.enabled=true")) {
				return Stream.of(context.getBeanDefinitionNames());
			}
		}

	}

}
