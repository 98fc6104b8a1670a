package io.quorate.operations.configuration;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quorate.QuorateApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/** Starts the whole node with wrong configurations and reads what an operator reads. */
@ExtendWith(OutputCaptureExtension.class)
class ConfigurationErrorsTests {

	@TempDir
	Path directory;

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					quorate.sotrage.directory=x | 'quorate.sotrage.directory' | Did you mean 'quorate.storage.directory'?
					quorate.storage.max-value-sizes=1MB | unknown | Did you mean 'quorate.storage.max-value-size'?
					quorate.storage.wal.snyc=never | unknown | Did you mean 'quorate.storage.wal.sync'?
					quorate.storage=x | 'quorate.storage' | unknown
					quorate.nothing-like-it=x | 'quorate.nothing-like-it' | nothing would read it.
					port=8081 | 'port' | Did you mean 'server.port'?
					data=/elsewhere | 'data' | Did you mean 'quorate.storage.directory'?
					node-id=n5 | 'node-id' | Did you mean 'quorate.node.id'?
					storage.directory=x | 'storage.directory' | Did you mean 'quorate.storage.directory'?
					QUORATE_NODE_ID=n5 | 'QUORATE_NODE_ID' | Did you mean 'quorate.node.id'?
					anything | 'anything' | nothing would read it.
					servr.port=1 | 'servr.port' | nothing would read it.
					quorate.client.deadline=3s | 'quorate.client.deadline' | nothing would read it.
					quorate.storage.max-value-size=big | is 'big' | a size with its unit, such as 512KB
					quorate.storage.max-value-size=17MB | max-value-size must be between 1 and 16777216 bytes | 17825792
					quorate.storage.key-cache=400GB | quorate.storage.key-cache must be between 0 and | not 429496729600
					quorate.storage.wal.sync=alway | is 'alway' | one of always, interval, never
					quorate.storage.compaction.threads=many | is 'many' | a whole number
					quorate.storage.compaction.threads=0 | 'quorate.storage.compaction.threads' is '0' | must be greater than or equal to 1
					quorate.coordinator.timeout=fast | is 'fast' | a duration with its unit, such as 500ms
					quorate.coordinator.timeout=0s | quorate.coordinator.timeout must be at least 1ms | Correct the value
					quorate.coordinator.max-timeout=2d | quorate.coordinator.max-timeout (PT48H) must not be above PT24H | Correct the value
					quorate.api.body-idle-timeout=1ms | quorate.api.body-idle-timeout must be between 1s and 1h | Correct the value
					quorate.api.hosts=n0,http://n1:8080 | quorate.api.hosts must be names or addresses without scheme and port | http://n1:8080
					quorate.conditional.only=a,,b | quorate.conditional.only must have prefixes of 1 to 1024 bytes, not one of 0 | Correct the value
					quorate.operations.drain-delay=26s | quorate.operations.drain-delay must be between 0s and 25s | Correct the value
					quorate.repair.hint-window=11d | must be below quorate.repair.grace-period | Correct the value
					quorate.node.id=a b | 'quorate.node.id' is 'a b' | must be 1 to 63 letters
					""")
	void aWrongPropertyStopsTheStartAndSaysWhatWouldBeRight(String property, String which, String right,
			CapturedOutput output) {
		assertThatException().isThrownBy(() -> start("--" + property));
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains(which)
			.contains(right)
			.doesNotContain("context initialization", "condition evaluation");
		assertThat(this.directory).isEmptyDirectory();
	}

	@Test
	void aMessageSaysWhereTheWrongPropertyStands(CapturedOutput output) throws Exception {
		Path file = Files.writeString(this.directory.resolve("wrong.properties"),
				"\nquorate.storage.maxValueSize=big\nquorate.sotrage.x=1\n");
		assertThatException().isThrownBy(() -> start("--spring.config.additional-location=" + file.toUri()));
		assertThat(output).contains("quorate.sotrage.x").contains("wrong.properties").contains("3:");
	}

	@ParameterizedTest
	@CsvSource({ "port,server.port", "node-id,quorate.node.id", "storage.directory,quorate.storage.directory",
			"QUORATE_NODE_ID,quorate.node.id" })
	void aFileWithAnOptionOfOursUnderAnotherNameStopsTheStart(String name, String meant, CapturedOutput output)
			throws Exception {
		Path file = Files.writeString(this.directory.resolve("wrong.properties"),
				"base=/somewhere\n%s=x\n".formatted(name));
		assertThatException().isThrownBy(() -> start("--spring.config.additional-location=" + file.toUri()));
		assertThat(output).contains("'%s'".formatted(name)).contains("Did you mean '%s'?".formatted(meant));
		assertThat(output).doesNotContain("'base'");
	}

	@Test
	void aSystemPropertyOfOursUnderAnotherNameStopsTheStart(CapturedOutput output) {
		System.setProperty("node.id", "n5");
		try {
			assertThatException().isThrownBy(this::start);
		}
		finally {
			System.clearProperty("node.id");
		}
		assertThat(output).contains("'node.id'").contains("Did you mean 'quorate.node.id'?");
	}

	@Test
	void environmentVariablesAreCheckedInTheirOwnSpelling() {
		KnownProperties known = new KnownProperties();
		known.add("quorate.example", Example.class);
		assertThat(known.containsVariable("QUORATE_EXAMPLE_MAXVALUESIZE")).isTrue();
		assertThat(known.containsVariable("QUORATE_EXAMPLE_MAX_VALUE_SIZE")).isTrue();
		assertThat(known.containsVariable("QUORATE_EXAMPLE_INNER_FLAG")).isTrue();
		assertThat(known.containsVariable("QUORATE_EXAMPLE_MEMBERS_0")).isTrue();
		assertThat(known.containsVariable("QUORATE_EXAMPLE_MAXVALUESIZES")).isFalse();
		assertThat(known.contains("quorate.example.maxValueSize")).isTrue();
		assertThat(known.contains("quorate.example.max_value_size")).isTrue();
		assertThat(known.contains("QUORATE.EXAMPLE.INNER.FLAG")).isTrue();
		assertThat(known.contains("quorate.example.members[0]")).isTrue();
		assertThat(known.contains("quorate.example.labels.any")).isTrue();
		assertThat(known.contains("quorate.example.inner")).isFalse();
		assertThat(known.contains("quorate.exampleinner.flag")).isFalse();
	}

	@Test
	void aMisspeltEnvironmentVariableStopsTheStart(CapturedOutput output) {
		assertThatException()
			.isThrownBy(() -> startWith(Map.of("QUORATE_STORAGE_DIRECTRY", "x", "quorate_node_id", "n7")));
		assertThat(output).contains("'QUORATE_STORAGE_DIRECTRY'")
			.contains("Did you mean 'QUORATE_STORAGE_DIRECTORY'?")
			.doesNotContain("'quorate_node_id'");
	}

	@Test
	void theVariablesOfAServiceNamedQuorateAndOfCommandsAreNoMistake() {
		Map<String, Object> variables = new HashMap<>(
				Map.of("QUORATE_SERVICE_HOST", "10.0.0.1", "QUORATE_SERVICE_PORT", "8080", "QUORATE_SERVICE_PORT_HTTP",
						"8080", "QUORATE_PORT", "tcp://10.0.0.1:8080", "QUORATE_PORT_8080_TCP", "tcp://10.0.0.1:8080",
						"QUORATE_PORT_8080_TCP_ADDR", "10.0.0.1", "QUORATE_PEERS_SERVICE_HOST", "10.0.0.2",
						"QUORATE_STORAGE_WAL_SYNC", "never", "QUORATE_COORDINATOR_MAX_TIMEOUT", "20s"));
		variables.putAll(Map.of("QUORATE_ENDPOINTS", "http://127.0.0.1:8080", "QUORATE_TOKEN_FILE", "token",
				"QUORATE_CA", "ca.crt", "QUORATE_CONFIG", "client.properties", "QUORATE_JAVA_OPTS", "-Xmx1g",
				"QUORATE_JAR", "quorate.jar", "QUORATE_AOT", "off"));
		try (ConfigurableApplicationContext context = startWith(variables)) {
			assertThat(context.isRunning()).isTrue();
		}
	}

	private ConfigurableApplicationContext startWith(Map<String, Object> variables) {
		SpringApplication application = new SpringApplication(QuorateApplication.class);
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources()
			.replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, new SystemEnvironmentPropertySource(
					StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
		application.setEnvironment(environment);
		return application.run(arguments());
	}

	private ConfigurableApplicationContext start(String... more) {
		return new SpringApplication(QuorateApplication.class).run(arguments(more));
	}

	private String[] arguments(String... more) {
		List<String> arguments = new ArrayList<>(
				List.of("--server.port=0", "--quorate.storage.directory=" + this.directory.resolve("data")));
		arguments.addAll(Arrays.asList(more));
		return arguments.toArray(String[]::new);
	}

	record Example(long maxValueSize, Inner inner, List<String> members, Map<String, String> labels) {
	}

	record Inner(boolean flag) {
	}

}
