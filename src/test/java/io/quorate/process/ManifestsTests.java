package io.quorate.process;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.quorate.Handbook;
import io.quorate.QuorateApplication;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;
import reactor.netty.http.client.HttpClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.test.web.reactive.server.WebTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That the manifests of {@code k8s/} fit the program: their ports, paths, properties and
 * times are those that it has. Whether Kubernetes takes them is checked by
 * {@code .ci/manifests}. Beside the tests, a node is started with what a pod of the base
 * is given, secrets of {@code bin/certificates} among it, but for its ports and members.
 */
class ManifestsTests {

	private static final Pattern MEMBER = Pattern.compile("(?<id>[^@]+)@(?<host>[^:]+):(?<port>\\d+)(/(?<zone>.+))?");

	/* What overlays replace by the image of theirs. */
	private static final String IMAGE = "quorate";

	private static final String OPERATOR = "components/prometheus-operator";

	/* What Spring gives the requests in flight, and what those of peers get. */
	private static final Duration IN_FLIGHT = Duration.ofSeconds(30 + 2);

	/* Event loops that come to rest, and the flush. */
	private static final Duration CLOSE = Duration.ofSeconds(20);

	private static ConfigurableApplicationContext node;

	private static ManifestSecrets secrets;

	private static HttpClient trusting;

	@BeforeAll
	static void start(@TempDir Path directory) throws IOException {
		secrets = ManifestSecrets.make(directory.resolve("made"));
		Path security = secrets.mount(directory);
		node = new SpringApplication(QuorateApplication.class).run("--spring.profiles.active=kubernetes",
				"--spring.config.additional-location=file:" + Manifests.configurationFile("base") + ",file:" + security,
				"--server.port=0", "--management.server.port=0", "--quorate.node.id=quorate-0",
				"--quorate.storage.directory=" + directory.resolve("data"), "--quorate.cluster.members=",
				"--quorate.operations.drain-delay=0s");
		SslContext authority = SslContextBuilder.forClient()
			.trustManager(new ByteArrayInputStream(secrets.file("quorate-clients-tls", "ca.crt")))
			.build();
		trusting = HttpClient.newConnection().secure((tls) -> tls.sslContext(authority));
	}

	/*
	 * A client of this port that trusts the authority alone, by a name of the
	 * certificate.
	 */
	private static WebTestClient client(String port) {
		return WebTestClient.bindToServer(new ReactorClientHttpConnector(trusting))
			.responseTimeout(Duration.ofSeconds(30))
			.codecs((codecs) -> codecs.defaultCodecs().maxInMemorySize(4 * 1024 * 1024))
			.baseUrl("https://localhost:" + node.getEnvironment().getProperty(port))
			.build();
	}

	@AfterAll
	static void stop() {
		node.close();
	}

	@Test
	void portsAreThoseOfTheProfile() {
		assertThat(containerPort("http")).isEqualTo(profile("server.port", "application.yml"));
		assertThat(containerPort("management"))
			.isEqualTo(profile("management.server.port", "application-kubernetes.yml"));
		for (JsonNode service : Manifests.all("base/services.yaml")) {
			for (JsonNode port : service.at("/spec/ports")) {
				String name = port.get("targetPort").asString();
				assertThat(port.get("port").asInt()).as(name).isEqualTo(containerPort(name));
			}
		}
		for (JsonNode rule : WatchFiles.yaml(Manifests.ROOT.resolve("base/network-policy.yaml")).at("/spec/ingress")) {
			assertThat(containerPort(rule.at("/ports/0/port").asString())).isPositive();
		}
		JsonNode toPeers = WatchFiles.yaml(Manifests.ROOT.resolve("base/network-policy.yaml")).at("/spec/egress/0");
		assertThat(toPeers.at("/to/0/podSelector/matchLabels"))
			.isEqualTo(Manifests.statefulSet().at("/spec/selector/matchLabels"));
		assertThat(toPeers.at("/ports/0/port").asInt()).isEqualTo(containerPort("peers"));
	}

	private static int containerPort(String name) {
		for (JsonNode port : Manifests.container().get("ports")) {
			if (port.get("name").asString().equals(name)) {
				return port.get("containerPort").asInt();
			}
		}
		throw new AssertionError("no port " + name);
	}

	/* Not what the arguments of this test say in its place. */
	private static int profile(String property, String file) {
		return node.getEnvironment()
			.getPropertySources()
			.stream()
			.filter((source) -> source.getName().contains("'" + file + "'")
					|| source.getName().contains("[" + file + "]"))
			.map((PropertySource<?> source) -> source.getProperty(property))
			.filter((value) -> value != null)
			.mapToInt((value) -> Integer.parseInt(String.valueOf(value)))
			.findFirst()
			.orElseThrow();
	}

	@ParameterizedTest
	@ValueSource(strings = { "startupProbe", "livenessProbe", "readinessProbe" })
	void probesAskForWhatThereIs(String probe) {
		JsonNode request = Manifests.container().at("/" + probe + "/httpGet");
		assertThat(request.get("port").asString()).isEqualTo("management");
		assertThat(request.get("scheme").asString()).isEqualTo("HTTPS");
		assertThat(status(request.get("path").asString(), "")).isEqualTo(200);
	}

	/* Of the management port. */
	private static int status(String path, String token) {
		return client("local.management.port").get()
			.uri(path)
			.headers((fields) -> bearer(fields, token))
			.exchange()
			.expectBody()
			.returnResult()
			.getStatus()
			.value();
	}

	private static void bearer(HttpHeaders fields, String token) {
		if (!token.isEmpty()) {
			fields.setBearerAuth(token);
		}
	}

	private static String text(String secret, String key) {
		return new String(secrets.file(secret, key), StandardCharsets.UTF_8);
	}

	@Test
	void theTokensOfTheSecretsHaveTheirRights() {
		String everything = "/actuator/access";
		assertThat(status(everything, "")).isEqualTo(401);
		assertThat(status(everything, secrets.token("ops"))).isEqualTo(200);
		assertThat(status(everything, text("quorate-prometheus", "token"))).isEqualTo(403);
		assertThat(put("")).isEqualTo(401);
		assertThat(put(secrets.token("ops"))).isEqualTo(403);
		assertThat(put(secrets.token("client"))).isEqualTo(201);
	}

	private static int put(String token) {
		return client("local.server.port").put()
			.uri("/v0/entity?id=a&replicas=1/1")
			.headers((fields) -> bearer(fields, token))
			.bodyValue("value")
			.exchange()
			.expectBody()
			.returnResult()
			.getStatus()
			.value();
	}

	@Test
	void prometheusAsksForWhatThereIs() {
		JsonNode monitor = WatchFiles.yaml(Manifests.ROOT.resolve(OPERATOR).resolve("service-monitor.yaml"));
		JsonNode endpoint = monitor.at("/spec/endpoints/0");
		assertThat(endpoint.get("scheme").asString()).isEqualTo("https");
		JsonNode credentials = endpoint.at("/authorization/credentials");
		String path = endpoint.get("path").asString();
		assertThat(status(path, "")).isEqualTo(401);
		assertThat(status(path, text(credentials.get("name").asString(), credentials.get("key").asString())))
			.isEqualTo(200);
		JsonNode authority = endpoint.at("/tlsConfig/ca/secret");
		assertThat(secrets.file(authority.get("name").asString(), authority.get("key").asString()))
			.isEqualTo(secrets.file("quorate-clients-tls", "ca.crt"));
		assertThat(endpoint.get("honorLabels").asBoolean()).isTrue();
		assertThat(endpoint.get("relabelings").findValuesAsString("targetLabel")).containsExactly("node", "cluster");
		JsonNode peers = Manifests.one("base/services.yaml", "Service", "quorate-peers");
		JsonNode labels = peers.at("/metadata/labels");
		monitor.at("/spec/selector/matchLabels")
			.properties()
			.forEach((wanted) -> assertThat(labels.get(wanted.getKey())).isEqualTo(wanted.getValue()));
		assertThat(labels.get(monitor.at("/spec/jobLabel").asString()).asString()).isEqualTo("quorate");
		assertThat(peers.at("/spec/ports")).extracting((port) -> port.get("name").asString())
			.contains(endpoint.get("port").asString());
	}

	@ParameterizedTest
	@ValueSource(strings = { "base", "dev", "production" })
	void membersAreThePodsByTheirNames(String overlay) {
		JsonNode set = Manifests.statefulSet();
		JsonNode peers = Manifests.one("base/services.yaml", "Service", set.at("/spec/serviceName").asString());
		assertThat(peers.at("/spec/clusterIP").asString()).isEqualTo("None");
		assertThat(peers.at("/spec/publishNotReadyAddresses").asBoolean()).isTrue();
		List<String> ids = new ArrayList<>();
		for (JsonNode text : Manifests.configuration(overlay).at("/cluster/members")) {
			Matcher member = MEMBER.matcher(text.asString());
			assertThat(member.matches()).as(text.asString()).isTrue();
			ids.add(member.group("id"));
			assertThat(member.group("host"))
				.isEqualTo(member.group("id") + "." + set.at("/spec/serviceName").asString());
			assertThat(Integer.parseInt(member.group("port"))).isEqualTo(containerPort("peers"));
			assertThat(member.group("zone") != null).isEqualTo(overlay.equals("production"));
		}
		int pods = overlay.equals("dev")
				? WatchFiles.yaml(Manifests.ROOT.resolve("dev/kustomization.yaml")).at("/replicas/0/count").asInt()
				: set.at("/spec/replicas").asInt();
		assertThat(ids)
			.containsExactlyElementsOf(IntStream.range(0, pods).mapToObj((pod) -> "quorate-" + pod).toList());
	}

	@Test
	void thePolicyAgainstScalingNamesTheStatefulSet() {
		JsonNode policy = Manifests.one("policy/members.yaml", "ValidatingAdmissionPolicy", "quorate-members");
		assertThat(policy.at("/spec/matchConditions/0/expression").asString()).isEqualTo(
				"object.metadata.name == '%s'".formatted(Manifests.statefulSet().at("/metadata/name").asString()));
		assertThat(policy.at("/spec/matchConstraints/resourceRules/0/resources")).extracting(JsonNode::asString)
			.containsExactly("statefulsets", "statefulsets/scale");
		assertThat(Manifests.one("policy/members.yaml", "ValidatingAdmissionPolicyBinding", "quorate-members")
			.at("/spec/policyName")
			.asString()).isEqualTo("quorate-members");
		String label = policy.at("/spec/matchConstraints/namespaceSelector/matchExpressions/0/key").asString();
		assertThat(policy.at("/spec/variables/1/expression").asString())
			.isEqualTo("namespaceObject.metadata.labels['%s']".formatted(label));
		assertThat(Handbook.KUBERNETES.text()).contains("kubectl label namespace NAMESPACE %s=%d".formatted(label,
				Manifests.configuration("base").at("/cluster/members").size()));
	}

	@Test
	void theNodeIsNamedByItsPod() {
		Map<String, String> variables = new TreeMap<>();
		for (JsonNode variable : Manifests.container().get("env")) {
			variables.put(variable.get("name").asString(), variable.at("/valueFrom/fieldRef/fieldPath").asString());
		}
		assertThat(variables).containsEntry("QUORATE_NODE_ID", "metadata.name");
		assertThat(Manifests.statefulSet().at("/metadata/name").asString()).isEqualTo("quorate");
	}

	@Test
	void thePropertiesOfAllOverlaysAreKnownToTheProgram() {
		Environment environment = node.getEnvironment();
		assertThat(environment.getProperty("quorate.cluster.name"))
			.isEqualTo(Manifests.configuration("base").at("/cluster/name").asString());
		Set<String> known = properties("base");
		assertThat(known).hasSize(3);
		assertThat(properties("dev")).isEqualTo(known);
		assertThat(properties("production")).isEqualTo(known);
	}

	private static Set<String> properties(String overlay) {
		Set<String> names = new TreeSet<>();
		Manifests.configuration(overlay)
			.properties()
			.forEach((room) -> room.getValue()
				.properties()
				.forEach((property) -> names.add(room.getKey() + "." + property.getKey())));
		return names;
	}

	@ParameterizedTest
	@ValueSource(strings = { "base", "dev", "production" })
	void aStopFitsIntoItsGracePeriod(String overlay) {
		Duration grace = Duration.ofSeconds(Manifests.podSpec().get("terminationGracePeriodSeconds").asLong());
		JsonNode operations = Manifests.configuration(overlay).get("operations");
		Duration drain = DurationStyle.detectAndParse(operations.get("drain-delay").asString());
		assertThat(drain.plus(IN_FLIGHT).plus(CLOSE)).isLessThan(grace.minus(Manifests.preStop()));
	}

	@Test
	void theTestOverlayIsThatOfProduction() {
		JsonNode tried = kustomization("test/secure");
		assertThat(tried.get("resources")).extracting(JsonNode::asString).containsExactly("../../production");
		assertThat(tried.has("configMapGenerator")).as("its configuration is that of production").isFalse();
		assertThat(kustomization("test").get("resources")).extracting(JsonNode::asString).containsExactly("secure");
		Map<String, JsonNode> values = new TreeMap<>();
		for (Object operation : new Yaml().<List<Object>>load(tried.at("/patches/0/patch").asString())) {
			JsonNode change = JsonMapper.shared().valueToTree(operation);
			values.put(change.get("path").asString(), change.path("value"));
		}
		String resources = "/spec/template/spec/containers/0/resources";
		assertThat(values.get(resources + "/limits/memory")).as("as much as is asked for")
			.isEqualTo(Objects.requireNonNull(values.get(resources + "/requests")).get("memory"));
	}

	@Test
	void heapAndBuffersLeaveRoomForTheJvm() {
		Matcher share = Pattern.compile("-XX:MaxRAMPercentage=(\\d+)").matcher(WatchFiles.read(Path.of("pom.xml")));
		assertThat(share.find()).isTrue();
		// The bound of buffers outside of the heap is that of the heap.
		assertThat(2 * Integer.parseInt(share.group(1))).isLessThanOrEqualTo(80);
	}

	@Test
	void aVolumeIsMountedWhereTheImageExpectsIt() {
		String build = WatchFiles.read(Path.of("pom.xml"));
		Map<String, String> mounts = new TreeMap<>();
		for (JsonNode mount : Manifests.container().get("volumeMounts")) {
			mounts.put(mount.get("name").asString(), mount.get("mountPath").asString());
		}
		assertThat(build).contains("<QUORATE_STORAGE_DIRECTORY>" + mounts.get("data") + "</QUORATE_STORAGE_DIRECTORY>")
			.contains("<workingDirectory>/</workingDirectory>")
			.contains("<SPRING_PROFILES_ACTIVE>kubernetes</SPRING_PROFILES_ACTIVE>");
		// Spring Boot looks into ./config.
		assertThat(mounts).containsEntry("configuration", "/config").containsEntry("temporary", "/tmp");
		JsonNode security = Manifests.podSpec().get("securityContext");
		assertThat(build).contains(
				"<user>%d:%d</user>".formatted(security.get("runAsUser").asInt(), security.get("runAsGroup").asInt()));
		assertThat(security.get("fsGroup").asInt()).isEqualTo(security.get("runAsGroup").asInt());
	}

	@Test
	void oneNameOfTheImageIsReplacedEverywhere() {
		assertThat(Manifests.container().get("image").asString()).isEqualTo(IMAGE);
		assertThat(Manifests.one("production/backup.yaml", "CronJob", "quorate-backup")
			.at("/spec/jobTemplate/spec/template/spec/containers/0/image")
			.asString()).isEqualTo(IMAGE);
		assertThat(Manifests.one("production/restore-pod.yaml", "Pod", "quorate-restore-0")
			.at("/spec/containers/0/image")
			.asString()).isEqualTo(IMAGE);
		for (String overlaid : List.of("base", "production")) {
			assertThat(kustomization(overlaid).has("images")).as("an overlay over %s could not name it", overlaid)
				.isFalse();
			assertThat(kustomization(overlaid).has("components")).as(overlaid).isFalse();
		}
		for (String applied : List.of(".", "dev", "test/secure")) {
			assertThat(kustomization(applied).get("components")).extracting((component) -> component.asString())
				.anyMatch((component) -> component.endsWith("components/local-image"));
		}
		assertThat(kustomization("example").at("/images/0/name").asString()).isEqualTo(IMAGE);
	}

	@Test
	void theLocalImageIsOfThisVersion() {
		JsonNode image = kustomization("components/local-image").at("/images/0");
		assertThat(image.get("name").asString()).isEqualTo(IMAGE);
		assertThat(image.get("newName").asString()).isEqualTo("localhost/quorate");
		assertThat(WatchFiles.read(Path.of("pom.xml")))
			.contains("<artifactId>quorate</artifactId>\n\t<version>" + image.get("newTag").asString() + "</version>");
	}

	private static JsonNode kustomization(String directory) {
		return WatchFiles.yaml(Manifests.ROOT.resolve(directory).resolve("kustomization.yaml"));
	}

	/* The selector of a StatefulSet cannot be changed later. */
	@Test
	void everySelectorMatchesThePodsOfOneInstance() {
		JsonNode labels = Manifests.statefulSet().at("/spec/template/metadata/labels");
		assertThat(labels.properties()).extracting(Map.Entry::getKey)
			.contains("app.kubernetes.io/name", "app.kubernetes.io/instance");
		assertThat(Manifests.statefulSet().at("/spec/selector/matchLabels")).isEqualTo(labels);
		assertThat(Manifests.statefulSet()
			.at("/spec/template/spec/affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/0/podAffinityTerm/labelSelector/matchLabels"))
			.isEqualTo(labels);
		assertThat(Manifests.all("base/services.yaml"))
			.allSatisfy((service) -> assertThat(service.at("/spec/selector")).isEqualTo(labels));
		assertThat(Manifests.one("base/disruption-budget.yaml", "PodDisruptionBudget", "quorate")
			.at("/spec/selector/matchLabels")).isEqualTo(labels);
		JsonNode spread = Manifests.one("production/spread.yaml", "StatefulSet", "quorate").at("/spec/template/spec");
		assertThat(spread.at("/topologySpreadConstraints/0/labelSelector/matchLabels")).isEqualTo(labels);
		assertThat(spread
			.at("/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/0/labelSelector/matchLabels"))
			.isEqualTo(labels);
		for (JsonNode policy : List.of(Manifests.one("base/network-policy.yaml", "NetworkPolicy", "quorate"),
				Manifests.one("components/tracing/network-policy.yaml", "NetworkPolicy", "quorate-to-collector"))) {
			assertThat(policy.at("/spec/podSelector/matchLabels")).isEqualTo(labels);
		}
	}

	@Test
	void theBackupAsksEveryPodAndIsLetIn() {
		JsonNode job = Manifests.one("production/backup.yaml", "CronJob", "quorate-backup");
		JsonNode pod = job.at("/spec/jobTemplate/spec/template");
		List<String> urls = new ArrayList<>();
		pod.at("/spec/containers/0/args").forEach((argument) -> urls.add(argument.asString()));
		assertThat(urls.removeFirst()).isEqualTo("backup");
		assertThat(urls.removeFirst()).isEqualTo("--token-file");
		String token = urls.removeFirst();
		assertThat(urls.removeFirst()).isEqualTo("--ca");
		assertThat(mounted(pod, urls.removeFirst())).isEqualTo(secrets.file("quorate-clients-tls", "ca.crt"));
		assertThat(status("/actuator/backup", new String(mounted(pod, token), StandardCharsets.UTF_8))).isEqualTo(200);
		String service = Manifests.statefulSet().at("/spec/serviceName").asString();
		int port = containerPort("management");
		assertThat(urls)
			.containsExactlyElementsOf(IntStream.range(0, Manifests.statefulSet().at("/spec/replicas").asInt())
				.mapToObj((each) -> "https://quorate-%d.%s:%d".formatted(each, service, port))
				.toList());
		JsonNode itself = pod.at("/metadata/labels");
		JsonNode out = Manifests.one("production/backup.yaml", "NetworkPolicy", "quorate-backup");
		assertThat(out.at("/spec/podSelector/matchLabels")).isEqualTo(itself);
		assertThat(out.at("/spec/egress/0/ports/0/port").asInt()).isEqualTo(port);
		JsonNode in = Manifests.one("production/backup.yaml", "NetworkPolicy", "quorate-from-backup");
		assertThat(in.at("/spec/ingress/0/from/0/podSelector/matchLabels")).isEqualTo(itself);
		assertThat(in.at("/spec/ingress/0/ports/0/port").asString()).isEqualTo("management");
		assertThat(in.at("/spec/podSelector/matchLabels"))
			.isEqualTo(Manifests.statefulSet().at("/spec/selector/matchLabels"));
	}

	/* What the first container of a pod finds in a file of a secret. */
	private static byte[] mounted(JsonNode pod, String file) {
		Path path = Path.of(file);
		for (JsonNode mount : pod.at("/spec/containers/0/volumeMounts")) {
			if (mount.get("mountPath").asString().equals(file.substring(0, file.lastIndexOf('/')))) {
				String volume = mount.get("name").asString();
				for (JsonNode each : pod.at("/spec/volumes")) {
					if (each.get("name").asString().equals(volume)) {
						return secrets.file(each.at("/secret/secretName").asString(), path.getFileName().toString());
					}
				}
			}
		}
		throw new AssertionError(file + " is not mounted");
	}

	@Test
	void theRulesAreThoseOfPrometheus() {
		List<JsonNode> groups = new ArrayList<>();
		for (Path file : WatchFiles.files(WatchFiles.RULES, ".yml")) {
			WatchFiles.yaml(file).get("groups").forEach(groups::add);
		}
		List<JsonNode> written = new ArrayList<>();
		WatchFiles.yaml(Manifests.ROOT.resolve(OPERATOR).resolve("prometheus-rule.yaml"))
			.at("/spec/groups")
			.forEach(written::add);
		assertThat(written).as("run tools/manifests").isEqualTo(groups);
	}

	@Test
	void everyDashboardIsThere() {
		List<String> files = new ArrayList<>();
		for (JsonNode map : WatchFiles.yaml(Path.of("config", "grafana", "kustomization.yaml"))
			.get("configMapGenerator")) {
			files.add(map.at("/files/0").asString());
		}
		assertThat(files).containsExactlyElementsOf(WatchFiles.files(WatchFiles.DASHBOARDS, ".json")
			.stream()
			.map((file) -> "dashboards/" + file.getFileName())
			.toList());
	}

}
