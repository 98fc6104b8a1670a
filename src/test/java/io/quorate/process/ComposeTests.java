package io.quorate.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import org.springframework.core.io.ClassPathResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That {@code compose.yaml} fits the program, its configuration and the files it mounts.
 */
class ComposeTests {

	private static final Set<String> NODES = Set.of("n0", "n1", "n2");

	private final JsonNode services = WatchFiles.yaml(Path.of("compose.yaml")).get("services");

	@Test
	void everyNodeHasItsPlaceInTheListOfMembers() {
		for (String node : NODES) {
			JsonNode environment = this.services.at("/" + node + "/environment");
			assertThat(environment.path("QUORATE_NODE_ID").asString()).isEqualTo(node);
			assertThat(environment.path("QUORATE_CLUSTER_MEMBERS").asString().split(",", -1))
				.containsExactlyInAnyOrderElementsOf(NODES.stream().map((id) -> id + "@" + id + ":7100").toList());
			assertThat(this.services.at("/" + node + "/volumes/0").asString()).isEqualTo(node + ":/data");
		}
	}

	@Test
	void everyVariableIsAProperty() throws IOException {
		Set<String> known = JsonMapper.shared()
			.readTree(new ClassPathResource("META-INF/spring-configuration-metadata.json").getInputStream())
			.get("properties")
			.valueStream()
			.map((property) -> property.get("name").asString())
			.map((name) -> name.replace("-", "").replace('.', '_').toUpperCase(Locale.ROOT))
			.collect(Collectors.toCollection(TreeSet::new));
		List<String> variables = new ArrayList<>();
		for (String node : NODES) {
			this.services.at("/" + node + "/environment")
				.propertyNames()
				.stream()
				.filter((name) -> name.startsWith("QUORATE_"))
				.forEach(variables::add);
		}
		assertThat(variables).hasSizeGreaterThan(NODES.size()).allMatch(known::contains, "is a property");
	}

	@Test
	void theImageIsThatOfThisVersion() throws IOException {
		Properties build = new Properties();
		build.load(new ClassPathResource("META-INF/build-info.properties").getInputStream());
		assertThat(this.services.at("/n0/image").asString())
			.isEqualTo("${QUORATE_IMAGE:-localhost/quorate:" + build.getProperty("build.version") + "}");
	}

	/* The nodes are open. */
	@Test
	void portsAreOnLoopbackOnly() {
		for (JsonNode service : this.services) {
			assertThat(service.path("ports")).isNotEmpty()
				.allMatch((port) -> port.asString().startsWith("127.0.0.1:"), "is on loopback");
		}
	}

	@Test
	void prometheusScrapesEveryNodeOnItsPortForManagement() {
		JsonNode targets = WatchFiles.yaml(Path.of("config/prometheus/compose.yml"))
			.at("/scrape_configs/0/static_configs");
		assertThat(targets.valueStream().map((target) -> target.at("/targets/0").asString()))
			.containsExactlyInAnyOrderElementsOf(NODES.stream().map((id) -> id + ":8081").toList());
		assertThat(targets.valueStream().map((target) -> target.at("/labels/node").asString()))
			.containsExactlyInAnyOrderElementsOf(NODES);
	}

	@Test
	void filesThatAreMountedAreThere() {
		List<String> mounted = new ArrayList<>();
		for (JsonNode service : this.services) {
			service.path("volumes")
				.valueStream()
				.map((volume) -> volume.asString().split(":", -1)[0])
				.filter((source) -> source.startsWith("./"))
				.forEach(mounted::add);
		}
		assertThat(mounted).hasSize(4).allMatch((source) -> Files.exists(Path.of(source)), "is there");
	}

}
