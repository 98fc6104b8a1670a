package io.quorate.spring.boot;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

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

	/* Interrupts a thread that locks, while its write is under way. */
	private void interrupt(Consumer<QuorateLock> action) {
		TestNode node = node();
		AtomicBoolean wasSilent = new AtomicBoolean();
		node.follow((request) -> switch (request.method()) {
			case "PUT" -> wasSilent.getAndSet(true) ? TestNode.WRITTEN : TestNode.SILENCE;
			case "DELETE" -> TestNode.DELETED;
			default -> TestNode.ABSENT;
		});
		locking().withPropertyValues(ENABLED, endpoints(node.url())).run((context) -> {
			QuorateLock lock = context.getBean(QuorateLockRegistry.class).obtain("foo");
			CompletableFuture<Void> ended = new CompletableFuture<>();
			Thread thread = new Thread(() -> {
				try {
					action.accept(lock);
					ended.complete(null);
				}
				catch (Throwable failure) {
					ended.completeExceptionally(failure);
				}
			});
			thread.start();
			while (!wasSilent.get()) {
				Thread.onSpinWait();
			}
			thread.interrupt();
			assertThat(ended).succeedsWithin(millis(60_000));
		});
	}

	@Test
	void interruptEndsAnAcquisitionUnderWay() {
		interrupt((lock) -> assertThatExceptionOfType(InterruptedException.class).isThrownBy(lock::lockInterruptibly));
		interrupt((lock) -> assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> lock.tryLock(1, TimeUnit.MINUTES)));
	}

	@Test
	void interruptEndsNoUninterruptibleAcquisition() {
		interrupt((lock) -> {
			lock.lock();
			try {
				assertThat(lock.held().isHeld()).isTrue();
				assertThat(Thread.interrupted()).isTrue();
			}
			finally {
				lock.unlock();
			}
		});
	}

}
