package io.quorate;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The settings that a node gives to Netty, and those that it leaves to the command line.
 */
class QuorateApplicationTests {

	private static final String LOOPS = "reactor.netty.ioWorkerCount";

	private static final String LEAKS = "io.netty.leakDetection.level";

	private static final String OLD_LEAKS = "io.netty.leakDetectionLevel";

	private final Map<String, @Nullable String> before = new HashMap<>();

	@BeforeEach
	void clear() {
		for (String name : List.of(LOOPS, LEAKS, OLD_LEAKS)) {
			this.before.put(name, System.clearProperty(name));
		}
	}

	@AfterEach
	void restore() {
		this.before.forEach((name, value) -> {
			if (value != null) {
				System.setProperty(name, value);
			}
			else {
				System.clearProperty(name);
			}
		});
	}

	@Test
	void thereIsAnEventLoopForEachProcessorButAtLeastTwo() {
		QuorateApplication.tuneNetty();
		assertThat(Integer.parseInt(System.getProperty(LOOPS)))
			.isEqualTo(Math.max(2, Runtime.getRuntime().availableProcessors()));
	}

	@Test
	void theLeakDetectorIsOffUnlessConfigured() {
		QuorateApplication.tuneNetty();
		assertThat(System.getProperty(LEAKS)).isEqualTo("disabled");
	}

	@Test
	void theCommandLineHasTheLastWord() {
		System.setProperty(LOOPS, "7");
		System.setProperty(LEAKS, "simple");
		QuorateApplication.tuneNetty();
		assertThat(System.getProperty(LOOPS)).isEqualTo("7");
		assertThat(System.getProperty(LEAKS)).isEqualTo("simple");
	}

	@Test
	void theOldNameOfTheLevelIsNotOverridden() {
		System.setProperty(OLD_LEAKS, "paranoid");
		QuorateApplication.tuneNetty();
		assertThat(System.getProperty(LEAKS)).isNull();
	}

}
