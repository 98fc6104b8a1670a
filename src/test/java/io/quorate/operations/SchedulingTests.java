package io.quorate.operations;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/* Each on a thread of its own, which nobody else has the policy of afterwards. */
@EnabledOnOs(OS.LINUX)
class SchedulingTests {

	private static final int NORMAL = 0;

	private static final int BATCH = 3;

	@Test
	void aNodeIsBatchUnlessSaidOtherwise() throws Exception {
		assertThat(policyAfter(new MockEnvironment())).isEqualTo(BATCH);
	}

	@Test
	void inheritedIsAsItWas() throws Exception {
		assertThat(policyAfter(new MockEnvironment().withProperty(Scheduling.PROPERTY, "inherited"))).isEqualTo(NORMAL);
	}

	/** Of a thread that is made by the one that has set it. */
	private static int policyAfter(MockEnvironment environment) throws Exception {
		CompletableFuture<Integer> policy = new CompletableFuture<>();
		Thread.ofPlatform().daemon().start(() -> {
			try (ConfigurableApplicationContext context = new GenericApplicationContext()) {
				context.setEnvironment(environment);
				new SchedulingInitializer().initialize(context);
				Thread.ofPlatform().daemon().start(() -> policy.completeAsync(SchedulingTests::policy, Runnable::run));
			}
		});
		return policy.get(20, TimeUnit.SECONDS);
	}

	/* The 41st field, after a name in parentheses that is the second. */
	private static int policy() {
		try {
			String line = Files.readString(Path.of("/proc/thread-self/stat"));
			return Integer.parseInt(line.substring(line.lastIndexOf(')') + 2).strip().split(" ", -1)[38]);
		}
		catch (IOException unreadable) {
			throw new UncheckedIOException(unreadable);
		}
	}

}
