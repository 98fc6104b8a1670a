package io.quorate.spring.boot.session;

import java.time.Duration;

import io.quorate.client.Codec;
import io.quorate.client.QuorateAsyncClient;
import io.quorate.spring.boot.autoconfigure.QuorateAutoConfiguration;
import io.quorate.spring.boot.autoconfigure.QuorateProperties;
import io.quorate.spring.boot.store.JavaCodec;
import io.quorate.spring.boot.store.QuorateStoreAutoConfiguration;
import io.quorate.spring.boot.store.StoreFailures;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.session.autoconfigure.SessionTimeout;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ResourceLoader;
import org.springframework.session.FlushMode;
import org.springframework.session.MapSession;
import org.springframework.session.ReactiveSessionRepository;
import org.springframework.session.SaveMode;
import org.springframework.session.Session;
import org.springframework.session.SessionIdGenerator;
import org.springframework.session.SessionRepository;
import org.springframework.session.UuidSessionIdGenerator;
import org.springframework.session.config.annotation.web.http.SpringHttpSessionConfiguration;
import org.springframework.session.config.annotation.web.server.SpringWebSessionConfiguration;
import reactor.core.publisher.Mono;

/** Auto-configuration of the sessions, for an application that asks for them. */
@AutoConfiguration(after = { QuorateAutoConfiguration.class, QuorateStoreAutoConfiguration.class },
		beforeName = { "org.springframework.boot.session.autoconfigure.SessionAutoConfiguration",
				"org.springframework.boot.webflux.autoconfigure.HttpHandlerAutoConfiguration",
				"org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration" })
@ConditionalOnBooleanProperty("quorate.client.session.enabled")
@ConditionalOnClass({ Session.class, SessionTimeout.class })
@ConditionalOnBean(QuorateAsyncClient.class)
public final class QuorateSessionAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	SessionRules quorateSessionRules(QuorateProperties properties, ObjectProvider<Codec<Object>> codec,
			ObjectProvider<SessionIdGenerator> ids, ObjectProvider<SessionTimeout> timeout, ResourceLoader loader) {
		SessionTimeout found = timeout.getIfAvailable(() -> () -> null);
		Duration interval = found.getTimeout();
		return new SessionRules(properties.getSession().getPrefix(),
				codec.getIfAvailable(() -> new JavaCodec(loader.getClassLoader())),
				SaveMode.valueOf(properties.getSession().getSaveMode().name()),
				ids.getIfAvailable(UuidSessionIdGenerator::getInstance),
				(interval != null) ? interval : MapSession.DEFAULT_MAX_INACTIVE_INTERVAL);
	}

	/** The sessions of an application with servlets. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	@ConditionalOnMissingBean(SessionRepository.class)
	@Import(SpringHttpSessionConfiguration.class)
	static class Servlet {

		@Bean
		QuorateSessionRepository sessionRepository(QuorateAsyncClient client, SessionRules rules,
				QuorateProperties properties, StoreFailures failures) {
			return new QuorateSessionRepository(client, rules,
					FlushMode.valueOf(properties.getSession().getFlushMode().name()), failures);
		}

	}

	/** The sessions of a reactive application. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	@ConditionalOnClass(Mono.class)
	@ConditionalOnMissingBean(ReactiveSessionRepository.class)
	@Import(SpringWebSessionConfiguration.class)
	static class Reactive {

		@Bean
		QuorateReactiveSessionRepository sessionRepository(QuorateAsyncClient client, SessionRules rules,
				StoreFailures failures) {
			return new QuorateReactiveSessionRepository(client, rules, failures);
		}

	}

}
