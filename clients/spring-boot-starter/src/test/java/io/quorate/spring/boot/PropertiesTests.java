package io.quorate.spring.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.BiConsumer;

import io.quorate.client.AnswerTooLargeException;
import io.quorate.client.DeadlineExceededException;
import io.quorate.client.NoNodeAnsweredException;
import io.quorate.client.OutcomeUnknownException;
import io.quorate.client.QuorateAsyncClient;
import io.quorate.client.QuorateClient;
import io.quorate.spring.boot.autoconfigure.InvalidQuoratePropertyException;
import io.quorate.spring.boot.autoconfigure.QuorateAutoConfiguration;
import io.quorate.spring.boot.autoconfigure.QuorateProperties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.context.properties.source.MutuallyExclusiveConfigurationPropertiesException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Each property, by what a node sees of it or its client does. */
@ExtendWith(OutputCaptureExtension.class)
class PropertiesTests extends NodeTests {

	private static void with(TestNode node, BiConsumer<QuorateClient, TestNode> test, String... properties) {
		contexts().withPropertyValues(endpoints(node.url()))
			.withPropertyValues(properties)
			.run((context) -> test.accept(context.getBean(QuorateClient.class), node));
	}

	@Test
	void consistencyGoesToTheNode() {
		with(node(), (client, node) -> {
			client.get("k");
			assertThat(node.received().get(0).target()).contains("ack=2", "from=3");
			client.get("k", (options) -> options.ack(1));
			assertThat(node.received().get(1).target()).contains("ack=1", "from=3");
		}, "quorate.client.ack=2", "quorate.client.from=3");
	}

	@Test
	void nodeTimeoutGoesToTheNode() {
		with(node(), (client, node) -> {
			client.get("k");
			assertThat(node.received().get(0).field("Quorate-Timeout")).isEqualTo("1500");
		}, "quorate.client.node-timeout=1500ms");
	}

	@Test
	void tokenGoesToTheNode() {
		with(node(), (client, node) -> {
			client.get("k");
			assertThat(node.received().get(0).field("Authorization")).isEqualTo("Bearer abc");
		}, "quorate.client.token=abc");
	}

	@Test
	void tokenFileIsReadAgainWhenItChanges(@TempDir Path directory) throws IOException {
		Path file = Files.writeString(directory.resolve("token"), "first\n");
		with(node(), (client, node) -> {
			client.get("k");
			assertThat(node.received().get(0).field("Authorization")).isEqualTo("Bearer first");
			write(file, "second one".replace(" ", "-"));
			client.get("k");
			assertThat(node.received().get(1).field("Authorization")).isEqualTo("Bearer second-one");
		}, "quorate.client.token-file=" + file);
	}

	private static void write(Path file, String text) {
		try {
			Files.writeString(file, text);
		}
		catch (IOException failure) {
			throw new IllegalStateException(failure);
		}
	}

	@Test
	void deadlineEndsACall() {
		TestNode node = node();
		node.fallSilent();
		with(node,
				(client, same) -> assertThatExceptionOfType(DeadlineExceededException.class)
					.isThrownBy(() -> client.get("k")),
				"quorate.client.deadline=300ms", "quorate.client.stall-timeout=1h");
	}

	@Test
	void stallTimeoutEndsAnAttempt() {
		TestNode silent = node();
		silent.fallSilent();
		TestNode other = node();
		contexts()
			.withPropertyValues(endpoints(silent.url(), other.url()), "quorate.client.shuffle=false",
					"quorate.client.stall-timeout=300ms")
			.run((context) -> {
				assertThat(context.getBean(QuorateClient.class).get("k")).isPresent();
				assertThat(silent.received()).hasSize(1);
			});
	}

	@Test
	void withoutShuffleTheFirstEndpointIsAskedFirst() {
		TestNode first = node();
		for (int i = 0; i < 5; i++) {
			contexts()
				.withPropertyValues(endpoints(first.url(), node().url(), node().url()), "quorate.client.shuffle=false")
				.run((context) -> context.getBean(QuorateClient.class).get("k"));
		}
		assertThat(first.received()).hasSize(5);
	}

	@Test
	void writesOfUnknownOutcomeAreRepeatedOnlyOnRequest() {
		TestNode node = node();
		node.answer(TestNode.TOO_FEW);
		with(node, (client, same) -> assertThatExceptionOfType(OutcomeUnknownException.class)
			.isThrownBy(() -> client.put("k", "v")));
		assertThat(node.received()).hasSize(1);
		with(node, (client, same) -> assertThatExceptionOfType(OutcomeUnknownException.class)
			.isThrownBy(() -> client.put("k", "v")), "quorate.client.repeat-unknown=true");
		assertThat(node.received()).hasSize(3);
	}

	@Test
	void answersAreBounded() {
		with(node(), (client, node) -> assertThatExceptionOfType(AnswerTooLargeException.class)
			.isThrownBy(() -> client.get("k")), "quorate.client.max-answer-size=2B");
	}

	@Test
	void connectionsBoundTheRequestsUnderWay() {
		TestNode node = node();
		node.fallSilent();
		contexts()
			.withPropertyValues(endpoints(node.url()), "quorate.client.connections=1",
					"quorate.client.deadline=" + millis(2_000).toMillis() + "ms")
			.run((context) -> {
				QuorateAsyncClient client = context.getBean(QuorateAsyncClient.class);
				var one = client.get("a");
				var two = client.get("b", (options) -> options.deadline(Duration.ofMillis(200)));
				assertThatException().isThrownBy(two::join);
				assertThat(node.received()).hasSize(1);
				assertThatException().isThrownBy(one::join);
			});
	}

	@Test
	void commasSeparateEndpointsAndBlanksAreStripped() {
		TestNode node = node();
		contexts().withPropertyValues("quorate.client.endpoints= " + unusedUrl() + " , " + node.url() + "/ ")
			.run((context) -> assertThat(context.getBean(QuorateClient.class).get("k")).isPresent());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "endpoints=ftp://user:secret@n0|an endpoint is http://host:port", "endpoints=|at least one",
					"token=not a secret|letters, digits", "ack=0|ack must be at least 1, not 0",
					"from=-1|from must be at least 1, not -1", "deadline=0s|above 0 and at most a year, not PT0S",
					"stall-timeout=-1s|above 0", "node-timeout=400d|at most a year", "connections=0|at least 1, not 0",
					"max-answer-size=0|above 0, not 0", "max-answer-size=3GB|below 2 GiB",
					"ssl.bundle=absent|there is no SSL bundle of the name absent",
					"health.timeout=0s|above 0 and at most a year, not PT0S",
					"cache.timeout=0s|above 0 and at most a year, not PT0S", "cache.ttl=500ms|whole seconds",
					"cache.ttls.books=4000d|3,650 days", "lock.ttl=4s|at least 5 seconds, not PT4S" })
	void invalidPropertyIsNamed(String property, String reason) {
		String name = property.substring(0, property.indexOf('='));
		contexts().withPropertyValues("quorate.client." + property).run((context) -> {
			InvalidQuoratePropertyException found = invalid(context.getStartupFailure());
			assertThat(found.property()).isEqualTo("quorate.client." + name);
			assertThat(found).hasMessageStartingWith("The property quorate.client." + name + " is invalid: ")
				.hasMessageContaining(reason)
				.hasMessageNotContaining("secret");
		});
	}

	private static InvalidQuoratePropertyException invalid(@Nullable Throwable failure) {
		for (Throwable each = failure; each != null; each = each.getCause()) {
			if (each instanceof InvalidQuoratePropertyException found) {
				return found;
			}
		}
		throw new AssertionError("no property is named", failure);
	}

	@ParameterizedTest
	@ValueSource(strings = { "dedline", "stall-timeouts", "ssl.bundles", "health.time-out.x", "deadline.x", "endpoint",
			"endpoints.first", "cache.ttlz.books", "session.enable", "lock.ttl.books" })
	void propertyThatNothingReadsIsNamed(String name) {
		contexts().withPropertyValues("quorate.client." + name + "=a-secret")
			.run((context) -> assertThat(invalid(context.getStartupFailure()))
				.hasMessageStartingWith("The property quorate.client." + name + " is invalid: nothing reads it.")
				.hasMessageContaining("ack, cache.enabled, ")
				.hasMessageContaining("connections, deadline, endpoints, from, health.timeout")
				.hasMessageNotContaining("a-secret"));
		contexts().withSystemProperties("quorate.client." + name + "=a-secret")
			.run((context) -> assertThat(invalid(context.getStartupFailure()).property())
				.isEqualTo("quorate.client." + name));
	}

	private static SpringApplication application() {
		SpringApplication application = new SpringApplication(Empty.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		return application;
	}

	@Test
	void variableThatNothingReadsIsLogged(CapturedOutput output) {
		Map<String, Object> variables = Map.of("QUORATE_CLIENT_PORT_8080_TCP", "tcp://10.0.0.1:8080",
				"QUORATE_CLIENT_STALL_TIMEOUT", "7s", "QUORATE_CLIENT_NODETIMEOUT", "7s", "QUORATE_CLIENT_ENDPOINTS_0_",
				"http://127.0.0.1:1", "QUORATE_CLIENT_CACHE_TTLS_BOOKS", "7s", "QUORATE_CLIENTS", "1");
		contexts()
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new SystemEnvironmentPropertySource("variables-systemEnvironment", variables)))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output)
			.containsPattern("Nothing reads these variables of the environment: QUORATE_CLIENT_PORT_8080_TCP\\R");
	}

	@Test
	void mapHasAnyNames() {
		contexts()
			.withPropertyValues("quorate.client.cache.ttls.books=7s", "quorate.client.cache.ttls[a.b/c]=8s",
					"quorate.client.cache.types.books=java.lang.String")
			.run((context) -> assertThat(context.getBean(QuorateProperties.class).getCache().getTtls())
				.containsEntry("books", Duration.ofSeconds(7))
				.containsEntry("a.b/c", Duration.ofSeconds(8)));
	}

	@Test
	void argumentThatNothingReadsIsNamed(CapturedOutput output) {
		SpringApplication application = application();
		assertThatException()
			.isThrownBy(() -> application.run("--quorate.client.tokn=a-secret", "--spring.main.banner-mode=off"));
		assertThat(output).contains("The property quorate.client.tokn is invalid: nothing reads it.")
			.doesNotContain("a-secret");
	}

	@Test
	void nameOfAPropertyHasManySpellings() {
		contexts()
			.withPropertyValues("quorate.client.stallTimeout=7s", "quorate.client.max_answer_size=1MB",
					"quorate.client.endpoints[0]=http://127.0.0.1:1", "QUORATE.CLIENT.HEALTH.TIMEOUT=1s",
					"quorate.clients.x=1")
			.run((context) -> assertThat(context.getBean(QuorateProperties.class).getStallTimeout())
				.isEqualTo(Duration.ofSeconds(7)));
	}

	@Test
	void moreAcknowledgementsThanCopiesAreRefused() {
		contexts().withPropertyValues("quorate.client.ack=3", "quorate.client.from=2")
			.run((context) -> assertThat(invalid(context.getStartupFailure())).hasMessage(
					"The property quorate.client.ack is invalid: it must be at most quorate.client.from, which is"
							+ " 2, not 3."));
	}

	@Test
	void tokenAndTokenFileExcludeEachOther() {
		contexts().withPropertyValues("quorate.client.token=a", "quorate.client.token-file=b")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(MutuallyExclusiveConfigurationPropertiesException.class)
				.hasMessageContaining("quorate.client.token-file"));
	}

	@Test
	void applicationThatDoesNotStartPrintsTheSentence(CapturedOutput output) {
		SpringApplication application = application();
		assertThatException()
			.isThrownBy(() -> application.run("--quorate.client.token=not a secret", "--spring.main.banner-mode=off"));
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("The property quorate.client.token is invalid: the token must have letters, digits")
			.contains("Correct quorate.client.token in the configuration")
			.doesNotContain("not a secret");
	}

	@Test
	void defaultsAreThoseOfTheClient() {
		with(node(), (client, node) -> {
			client.get("k");
			assertThat(node.received().get(0).target()).doesNotContain("ack=", "from=");
			assertThat(node.received().get(0).field("Quorate-Timeout")).isNull();
			assertThat(node.received().get(0).field("Authorization")).isNull();
		});
		contexts().run((context) -> {
			assertThat(context.getBean(QuorateClient.class).toString()).contains("http://localhost:8080");
			assertThat(context.getBean(QuorateProperties.class).getDeadline()).isEqualTo(Duration.ofSeconds(30));
		});
	}

	@Test
	void noNodeIsAnErrorOfTheCall() {
		contexts().withPropertyValues(endpoints(unusedUrl()))
			.run((context) -> assertThatExceptionOfType(NoNodeAnsweredException.class)
				.isThrownBy(() -> context.getBean(QuorateClient.class).get("k")));
	}

	/** An application with nothing but a client. */
	@ImportAutoConfiguration(QuorateAutoConfiguration.class)
	static class Empty {

	}

}
