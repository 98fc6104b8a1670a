package io.quorate.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The manifests of {@code k8s/}, as they stand in their files. */
final class Manifests {

	static final Path ROOT = Path.of("k8s").toAbsolutePath();

	private Manifests() {
	}

	static JsonNode statefulSet() {
		return one("base/stateful-set.yaml", "StatefulSet", "quorate");
	}

	static JsonNode podSpec() {
		return statefulSet().at("/spec/template/spec");
	}

	static JsonNode container() {
		return podSpec().at("/containers/0");
	}

	/** How long a pod that is to go is left alone before it is told. */
	static Duration preStop() {
		return Duration.ofSeconds(container().at("/lifecycle/preStop/sleep/seconds").asLong());
	}

	/** How long a new pod is ready before the next one is replaced. */
	static Duration minReady() {
		return Duration.ofSeconds(statefulSet().at("/spec/minReadySeconds").asLong());
	}

	/** What nodes of an overlay are configured with. */
	static JsonNode configuration(String overlay) {
		return WatchFiles.yaml(configurationFile(overlay)).get("quorate");
	}

	static Path configurationFile(String overlay) {
		return ROOT.resolve(overlay).resolve("application.yml");
	}

	/** The resource of this kind and name in a file that may have several. */
	static JsonNode one(String file, String kind, String name) {
		return all(file).stream()
			.filter((resource) -> resource.get("kind").asString().equals(kind)
					&& resource.at("/metadata/name").asString().equals(name))
			.findFirst()
			.orElseThrow();
	}

	static List<JsonNode> all(String file) {
		List<JsonNode> resources = new ArrayList<>();
		for (Object resource : new Yaml().loadAll(WatchFiles.read(ROOT.resolve(file)))) {
			resources.add(JsonMapper.shared().valueToTree(resource));
		}
		return resources;
	}

}
