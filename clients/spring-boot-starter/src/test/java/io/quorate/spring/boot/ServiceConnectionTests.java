package io.quorate.spring.boot;

import java.lang.reflect.Constructor;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.quorate.client.QuorateClient;
import io.quorate.spring.boot.autoconfigure.QuorateConnectionDetails;
import io.quorate.spring.boot.testcontainers.QuorateContainer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactories;
import org.springframework.boot.docker.compose.core.ConnectionPorts;
import org.springframework.boot.docker.compose.core.ImageReference;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.mock.env.MockEnvironment;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Connections to containers and services. They are objects without a container: no test
 * starts one.
 */
class ServiceConnectionTests extends NodeTests {

	private static ApplicationContextRunner containers(TestNode node, Class<?> configuration) {
		// No node is behind the endpoint of the properties.
		return contexts().withPropertyValues("quorate.client.endpoints=http://localhost:1", "port=" + node.port())
			.withUserConfiguration(configuration)
			.withConfiguration(AutoConfigurations.of(ServiceConnectionAutoConfiguration.class));
	}

	@ParameterizedTest
	@ValueSource(classes = { ByType.class, ByName.class })
	void containerTakesThePlaceOfTheProperties(Class<?> configuration) {
		TestNode node = node();
		containers(node, configuration).run((context) -> {
			assertThat(context.getBean(QuorateConnectionDetails.class).getEndpoints()).containsExactly(node.url());
			assertThat(context.getBean(QuorateClient.class).get("k")).isPresent();
		});
	}

	@Test
	void containerOfAnotherImageIsNone() {
		containers(node(), OtherImage.class)
			.run((context) -> assertThat(context.getBean(QuorateConnectionDetails.class).getEndpoints())
				.containsExactly("http://localhost:1"));
	}

	@Test
	void containerOfTheStarterHasTheSettingsOfANodeForTests() {
		try (QuorateContainer container = new QuorateContainer("localhost/quorate:1")) {
			assertThat(container.getExposedPorts()).containsExactly(8080);
			assertThat(container.getEnvMap()).containsEntry("QUORATE_SECURITY_OPEN", "true");
			assertThat(new Own(18_080).getEndpoint()).isEqualTo("http://localhost:18080");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "quorate", "quorate:1", "localhost/quorate:0.1.0-SNAPSHOT", "registry.example/quorate" })
	void composeServiceHasAConnection(String image) {
		assertThat(details(new Service(image, Map.of()))).isInstanceOfSatisfying(QuorateConnectionDetails.class,
				(details) -> assertThat(details.getEndpoints()).containsExactly("http://127.0.0.1:18080"));
	}

	@Test
	void labelOfAComposeServiceNamesItsKind() {
		Service service = new Service("registry.example/team/store:1",
				Map.of("org.springframework.boot.service-connection", "quorate"));
		assertThat(details(service)).isInstanceOf(QuorateConnectionDetails.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { "postgres", "registry.example/other/quorate-exporter" })
	void composeServiceOfAnotherImageHasNone(String image) {
		assertThat(details(new Service(image, Map.of()))).isNull();
	}

	@Test
	void starterWorksWithoutContainersOnTheClassPath() {
		applicationWithout("org.testcontainers", "org.springframework.boot.testcontainers",
				"org.springframework.boot.docker.compose")
			.run((context) -> {
				assertThat(context).hasNotFailed().hasSingleBean(QuorateClient.class);
				assertThat(new ConnectionDetailsFactories(context.getClassLoader()).getConnectionDetails("", false))
					.isEmpty();
			});
	}

	private static @Nullable ConnectionDetails details(RunningService service) {
		try {
			// Only Spring Boot makes one, from the output of the command docker.
			Constructor<DockerComposeConnectionSource> constructor = DockerComposeConnectionSource.class
				.getDeclaredConstructor(RunningService.class, Environment.class);
			constructor.setAccessible(true);
			return new ConnectionDetailsFactories(ServiceConnectionTests.class.getClassLoader())
				.getConnectionDetails(constructor.newInstance(service, new MockEnvironment()), false)
				.get(QuorateConnectionDetails.class);
		}
		catch (ReflectiveOperationException failure) {
			throw new IllegalStateException(failure);
		}
	}

	/** A container that does not run, and has the address of a node of the test. */
	static final class Generic extends GenericContainer<Generic> {

		private final int port;

		Generic(String image, int port) {
			super(DockerImageName.parse(image));
			this.port = port;
		}

		@Override
		public String getHost() {
			return "localhost";
		}

		@Override
		public Integer getMappedPort(int original) {
			assertThat(original).isEqualTo(8080);
			return this.port;
		}

		/* There is no engine that could run it. */
		@Override
		public void start() {
		}

	}

	/** The container of the starter, of an image of any name, that does not run. */
	static final class Own extends QuorateContainer {

		private final int port;

		Own(int port) {
			super("registry.example/team/store:1");
			this.port = port;
		}

		@Override
		public String getHost() {
			return "localhost";
		}

		@Override
		public Integer getMappedPort(int original) {
			assertThat(original).isEqualTo(8080);
			return this.port;
		}

		@Override
		public void start() {
		}

	}

	/** A container of the starter. */
	@Configuration(proxyBeanMethods = false)
	static class ByType {

		@Bean
		@ServiceConnection
		Own node(Environment environment) {
			return new Own(environment.getRequiredProperty("port", Integer.class));
		}

	}

	/** A container of another image, whose annotation has the name. */
	@Configuration(proxyBeanMethods = false)
	static class ByName {

		@Bean
		@ServiceConnection(name = "quorate")
		Generic node(Environment environment) {
			return new Generic("store:1", environment.getRequiredProperty("port", Integer.class));
		}

	}

	/** A container without a connection. */
	@Configuration(proxyBeanMethods = false)
	static class OtherImage {

		@Bean
		Generic node() {
			return new Generic("store:1", 1);
		}

	}

	/**
	 * A service as the command docker lists it.
	 *
	 * @param reference the image
	 * @param labels the labels
	 */
	private record Service(String reference, Map<String, String> labels) implements RunningService, ConnectionPorts {

		@Override
		public String name() {
			return "n0";
		}

		@Override
		public ImageReference image() {
			return ImageReference.of(this.reference);
		}

		@Override
		public String host() {
			return "127.0.0.1";
		}

		@Override
		public ConnectionPorts ports() {
			return this;
		}

		@Override
		public Map<String, @Nullable String> env() {
			return Map.of();
		}

		@Override
		public int get(int port) {
			assertThat(Set.of(8080)).contains(port);
			return 18_080;
		}

		@Override
		public List<Integer> getAll() {
			return List.of(18_080);
		}

		@Override
		public List<Integer> getAll(@Nullable String protocol) {
			return getAll();
		}

	}

}
