package io.quorate.spring.boot;

import java.time.Duration;
import java.util.HashMap;

import io.quorate.spring.boot.autoconfigure.QuorateAutoConfiguration;
import io.quorate.spring.boot.session.QuorateReactiveSessionRepository;
import io.quorate.spring.boot.session.QuorateSessionAutoConfiguration;
import io.quorate.spring.boot.session.QuorateSessionRepository;
import io.quorate.spring.boot.session.SessionRules;
import io.quorate.spring.boot.store.JavaCodec;
import io.quorate.spring.boot.store.QuorateStoreAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.session.autoconfigure.SessionAutoConfiguration;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Configuration;
import org.springframework.session.MapSessionRepository;
import org.springframework.session.ReactiveSessionRepository;
import org.springframework.session.SaveMode;
import org.springframework.session.SessionRepository;
import org.springframework.session.web.http.SessionRepositoryFilter;
import org.springframework.web.server.session.WebSessionManager;

import static org.assertj.core.api.Assertions.assertThat;

/** The sessions of an application: when it has them, and with what times. */
class SessionBeanTests extends NodeTests {

	private static final String ENABLED = "quorate.client.session.enabled=true";

	private static <R extends AbstractApplicationContextRunner<R, ?, ?>> R sessions(R runner) {
		return runner
			.withConfiguration(
					AutoConfigurations.of(SessionAutoConfiguration.class, QuorateSessionAutoConfiguration.class,
							QuorateAutoConfiguration.class, QuorateStoreAutoConfiguration.class))
			.withUserConfiguration(Server.class);
	}

	@Test
	void classPathIsNoConsent() {
		sessions(new WebApplicationContextRunner())
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(SessionRepository.class));
		sessions(new ReactiveWebApplicationContextRunner())
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ReactiveSessionRepository.class));
	}

	@Test
	void applicationWithServletsHasAFilter() {
		sessions(new WebApplicationContextRunner()).withPropertyValues(ENABLED, "spring.session.timeout=5m")
			.run((context) -> {
				assertThat(context).hasSingleBean(SessionRepositoryFilter.class);
				assertThat(context.getBean(QuorateSessionRepository.class).createSession().getMaxInactiveInterval())
					.isEqualTo(Duration.ofMinutes(5));
			});
	}

	@Test
	void reactiveApplicationHasAManager() {
		sessions(new ReactiveWebApplicationContextRunner()).withPropertyValues(ENABLED, "spring.session.timeout=5m")
			.run((context) -> {
				assertThat(context).hasSingleBean(WebSessionManager.class);
				assertThat(context.getBean(QuorateReactiveSessionRepository.class)
					.createSession()
					.blockOptional()
					.orElseThrow()
					.getMaxInactiveInterval()).isEqualTo(Duration.ofMinutes(5));
			});
	}

	@Test
	void applicationWithoutTheWebHasNone() {
		contexts()
			.withConfiguration(
					AutoConfigurations.of(QuorateSessionAutoConfiguration.class, QuorateStoreAutoConfiguration.class))
			.withPropertyValues(ENABLED)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(QuorateSessionRepository.class));
	}

	@Test
	void withoutSpringSessionThereIsNothing() {
		applicationWithout("org.springframework.session", "org.springframework.boot.session")
			.withPropertyValues(ENABLED)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("quorateSessionRules"));
	}

	@Test
	void repositoryOfTheApplicationTakesThePlaceOfOurs() {
		sessions(new WebApplicationContextRunner()).withPropertyValues(ENABLED)
			.withBean(SessionRepository.class, () -> new MapSessionRepository(new HashMap<>()))
			.run((context) -> assertThat(context).hasSingleBean(SessionRepository.class)
				.doesNotHaveBean(QuorateSessionRepository.class));
	}

	@Test
	void rulesAreThoseOfThePropertiesAndBeans() {
		JavaCodec codec = new JavaCodec(null);
		sessions(new WebApplicationContextRunner())
			.withPropertyValues(ENABLED, "quorate.client.session.prefix=shop/",
					"quorate.client.session.save-mode=on-get-attribute", "quorate.client.session.flush-mode=immediate")
			.withBean(JavaCodec.class, () -> codec)
			.run((context) -> {
				SessionRules rules = context.getBean(SessionRules.class);
				assertThat(rules.prefix()).isEqualTo("shop/");
				assertThat(rules.saveMode()).isEqualTo(SaveMode.ON_GET_ATTRIBUTE);
				assertThat(rules.codec()).isSameAs(codec);
				assertThat(rules.interval()).isEqualTo(Duration.ofMinutes(30));
			});
	}

	/** The properties that a server has. */
	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(ServerProperties.class)
	static class Server {

	}

}
