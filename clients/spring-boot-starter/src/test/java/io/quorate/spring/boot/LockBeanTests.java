package io.quorate.spring.boot;

import java.time.Duration;

import io.quorate.client.NoNodeAnsweredException;
import io.quorate.spring.boot.lock.QuorateLock;
import io.quorate.spring.boot.lock.QuorateLockAutoConfiguration;
import io.quorate.spring.boot.lock.QuorateLockRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The lock registry of an application: when it has one, and what it does without a node.
 */
class LockBeanTests extends NodeTests {

	private static final String ENABLED = "quorate.client.lock.enabled=true";

	private static ApplicationContextRunner locking() {
		return contexts().withConfiguration(AutoConfigurations.of(QuorateLockAutoConfiguration.class));
	}

	@Test
	void classPathIsNoConsent() {
		locking().run((context) -> assertThat(context).doesNotHaveBean(LockRegistry.class));
		locking().withPropertyValues(ENABLED)
			.run((context) -> assertThat(context).hasSingleBean(QuorateLockRegistry.class));
	}

	@Test
	void registryOfTheApplicationTakesThePlaceOfOurs() {
		locking().withPropertyValues(ENABLED)
			.withBean(LockRegistry.class, DefaultLockRegistry::new)
			.run((context) -> assertThat(context).doesNotHaveBean(QuorateLockRegistry.class));
	}

	@Test
	void withoutSpringIntegrationThereIsNothing() {
		applicationWithout("org.springframework.integration").withPropertyValues(ENABLED)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("quorateLockRegistry"));
	}

	@Test
	void lockThatCannotBeAcquiredIsNotHeld() {
		locking().withPropertyValues(ENABLED, endpoints(unusedUrl()), "quorate.client.deadline=300ms")
			.run((context) -> {
				QuorateLock lock = context.getBean(QuorateLockRegistry.class).obtain("foo");
				assertThatExceptionOfType(NoNodeAnsweredException.class).isThrownBy(lock::tryLock);
				assertThatExceptionOfType(NoNodeAnsweredException.class)
					.isThrownBy(() -> lock.tryLock(Duration.ofMillis(10), Duration.ofSeconds(5)));
				assertThatIllegalStateException().isThrownBy(lock::unlock);
				assertThat(lock.toString()).endsWith("free]");
			});
	}

}
