package io.quorate.spring.boot;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.stream.Collectors;

import io.quorate.spring.boot.autoconfigure.QuorateAutoConfiguration;
import io.quorate.spring.boot.autoconfigure.QuorateReactiveAutoConfiguration;
import io.quorate.spring.boot.health.QuorateHealthContributorAutoConfiguration;
import io.quorate.spring.boot.health.QuorateReactiveHealthContributorAutoConfiguration;
import io.quorate.spring.boot.metrics.QuorateMetricsAutoConfiguration;
import org.junit.jupiter.api.AfterEach;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

/** Tests with contexts, and nodes that do what the test says. */
abstract class NodeTests {

	/* On a machine with other work all waits are longer by this factor. */
	static final long SLOWNESS = Long.getLong("slowness", 1);

	private final Deque<AutoCloseable> opened = new ArrayDeque<>();

	@AfterEach
	void closeAll() throws Exception {
		while (!this.opened.isEmpty()) {
			this.opened.pop().close();
		}
	}

	<T extends AutoCloseable> T opened(T closeable) {
		this.opened.push(closeable);
		return closeable;
	}

	TestNode node() {
		return opened(new TestNode());
	}

	static Duration millis(long millis) {
		return Duration.ofMillis(millis * SLOWNESS);
	}

	/**
	 * Returns the URL of a port at which nothing listens, and, until the end of the test,
	 * nothing else will.
	 */
	String unusedUrl() {
		try {
			Socket bound = opened(new Socket());
			bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
			return "http://localhost:" + bound.getLocalPort();
		}
		catch (IOException failure) {
			throw new IllegalStateException(failure);
		}
	}

	/** Returns contexts with all that the starter has. */
	static ApplicationContextRunner contexts() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, QuorateAutoConfiguration.class,
					QuorateReactiveAutoConfiguration.class, QuorateHealthContributorAutoConfiguration.class,
					QuorateReactiveHealthContributorAutoConfiguration.class, QuorateMetricsAutoConfiguration.class));
	}

	/**
	 * Returns contexts of an application without some packages. As in each application,
	 * an auto-configuration that needs one of them is not loaded at all.
	 * @param absent the packages that it does not have
	 */
	static ApplicationContextRunner applicationWithout(String... absent) {
		// The lists of the absent modules are still on the class path.
		String excluded = ImportCandidates.load(AutoConfiguration.class, NodeTests.class.getClassLoader())
			.getCandidates()
			.stream()
			.filter((name) -> Arrays.stream(absent).anyMatch((each) -> name.startsWith(each + ".")))
			.collect(Collectors.joining(","));
		return new ApplicationContextRunner().withUserConfiguration(Application.class)
			.withPropertyValues("spring.autoconfigure.exclude=" + excluded)
			.withClassLoader(new FilteredClassLoader(absent));
	}

	static String endpoints(String... urls) {
		return "quorate.client.endpoints=" + String.join(",", urls);
	}

	/** An application with all that its class path offers. */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
