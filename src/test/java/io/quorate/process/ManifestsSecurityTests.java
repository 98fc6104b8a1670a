package io.quorate.process;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.quorate.Handbook;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import org.springframework.boot.autoconfigure.ssl.PemSslBundleProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.FileSystemResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That the pods of {@code k8s/} are closed, with secrets that there are, and open in the
 * overlays for trying things out alone.
 */
class ManifestsSecurityTests {

	private static final String OPEN = "components/open";

	private static ManifestSecrets secrets;

	private static Path made;

	@BeforeAll
	static void make(@TempDir Path directory) {
		made = directory;
		secrets = ManifestSecrets.make(directory);
	}

	@Test
	void everyFileOfTheConfigurationIsInAMountedSecret() {
		Map<String, String> files = new TreeMap<>();
		settings("base/security.yml").forEach((property, value) -> {
			if (value.startsWith("/")) {
				files.put(property, value);
			}
		});
		assertThat(files.keySet()).hasSize(7).contains("quorate.security.access");
		Map<String, String> volumes = volumes();
		Set<String> used = new TreeSet<>();
		for (JsonNode mount : Manifests.container().get("volumeMounts")) {
			String path = mount.get("mountPath").asString();
			if (path.startsWith(ManifestSecrets.ROOT)) {
				assertThat(mount.path("readOnly").asBoolean()).as(path).isTrue();
				assertThat(mount.has("subPath")).as("%s would never change", path).isFalse();
				String secret = volumes.get(mount.get("name").asString());
				assertThat(secret).as(path).isNotNull();
				assertThat(files.values().stream().filter((file) -> file.startsWith(path + "/"))).isNotEmpty()
					.allSatisfy((file) -> {
						assertThat(secrets.file(secret, file.substring(path.length() + 1))).isNotEmpty();
						used.add(file);
					});
			}
		}
		assertThat(used).containsExactlyInAnyOrderElementsOf(new TreeSet<>(files.values()));
	}

	/* The secrets of the pods by volume; none of them may be left out. */
	private static Map<String, String> volumes() {
		Map<String, String> names = new TreeMap<>();
		for (JsonNode volume : Manifests.podSpec().get("volumes")) {
			if (volume.has("secret")) {
				JsonNode secret = volume.get("secret");
				assertThat(secret.path("optional").asBoolean()).isFalse();
				assertThat(secret.get("defaultMode").asInt()).isEqualTo(0440);
				names.put(volume.get("name").asString(), secret.get("secretName").asString());
			}
		}
		return names;
	}

	@Test
	void aNodeOfTheBaseIsClosed() {
		Map<String, String> settings = settings("base/security.yml");
		assertThat(settings).containsEntry("quorate.internode.tls", "required")
			.containsEntry("server.ssl.client-auth", "want")
			.containsEntry("server.ssl.bundle", settings.get("management.server.ssl.bundle"))
			.doesNotContainKey("quorate.security.open");
		for (String property : List.of("quorate.internode.ssl-bundle", "server.ssl.bundle")) {
			PemSslBundleProperties pem = bundle(settings, Objects.requireNonNull(settings.get(property)));
			assertThat(pem.isReloadOnUpdate()).isTrue();
			assertThat(pem.getKeystore().isVerifyKeys()).isTrue();
			assertThat(pem.getTruststore().getCertificate()).isNotNull();
		}
	}

	private static PemSslBundleProperties bundle(Map<String, String> settings, String name) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().addFirst(new MapPropertySource("settings", new TreeMap<>(settings)));
		return Binder.get(environment).bind("spring.ssl.bundle.pem." + name, PemSslBundleProperties.class).get();
	}

	@ParameterizedTest
	@ValueSource(strings = { "base", "dev", "production" })
	void anOverlayHasTheConfigurationOfTheBaseOrThatOfTheComponent(String overlay) {
		assertThat(settings(overlay + "/application.yml").keySet())
			.noneMatch((name) -> name.contains("security") || name.contains("ssl") || name.contains("internode"));
	}

	@Test
	void onlyWhatIsForTryingOutIsOpen() throws IOException {
		Set<String> open = new TreeSet<>();
		try (Stream<Path> files = Files.walk(Manifests.ROOT)) {
			for (Path file : files.filter((each) -> each.endsWith("kustomization.yaml")).toList()) {
				for (JsonNode component : WatchFiles.yaml(file).path("components")) {
					if (component.asString().endsWith(OPEN)) {
						open.add(Manifests.ROOT.relativize(file.getParent()).toString());
					}
				}
			}
		}
		assertThat(open).containsExactly("dev", "test", "test/scaling");
		assertThat(settings(OPEN + "/security.yml")).containsOnly(Map.entry("quorate.security.open", "true"),
				Map.entry("quorate.internode.tls", "off"));
	}

	@Test
	void theOpenFormNeedsNoSecret() {
		JsonNode pod = WatchFiles.yaml(Manifests.ROOT.resolve(OPEN).resolve("stateful-set.yaml"))
			.at("/spec/template/spec");
		assertThat(pod.get("volumes")).extracting((volume) -> volume.get("name").asString())
			.containsExactlyInAnyOrderElementsOf(volumes().keySet());
		List<String> mounts = new ArrayList<>();
		for (JsonNode mount : Manifests.container().get("volumeMounts")) {
			if (volumes().containsKey(mount.get("name").asString())) {
				mounts.add(mount.get("mountPath").asString());
			}
		}
		assertThat(pod.at("/containers/0/volumeMounts")).extracting((mount) -> mount.get("mountPath").asString())
			.containsExactlyInAnyOrderElementsOf(mounts);
		for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
			assertThat(pod.at("/containers/0/" + probe + "/httpGet/scheme").asString()).isEqualTo("HTTP");
		}
	}

	@Test
	void tokensAreTakenWithoutTlsOnBothPorts() {
		JsonNode container = WatchFiles.yaml(Manifests.ROOT.resolve("components/http/stateful-set.yaml"))
			.at("/spec/template/spec/containers/0");
		for (String property : List.of("server.ssl.enabled", "management.server.ssl.enabled")) {
			assertThat(bound(container, property, Boolean.class)).isFalse();
		}
		for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
			assertThat(container.at("/" + probe + "/httpGet/scheme").asString()).isEqualTo("HTTP");
		}
	}

	@Test
	void noBackupSendsItsTokenWithoutTls() throws IOException {
		assertThat(Files.readString(Manifests.ROOT.resolve("components/http/kustomization.yaml"))).containsPattern(
				"kind: CronJob\\n      metadata:\\n        name: quorate-backup\\n      spec:\\n        suspend: true\\n");
	}

	/* As a node reads the variables of a container. */
	private static <T> T bound(JsonNode container, String property, Class<T> type) {
		Map<String, Object> variables = new TreeMap<>();
		container.get("env")
			.forEach((variable) -> variables.put(variable.get("name").asString(), variable.get("value").asString()));
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources()
			.addFirst(new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
					variables));
		return Binder.get(environment).bind(property, type).get();
	}

	@ParameterizedTest
	@ValueSource(strings = { "peers", "clients" })
	void certificatesNameWhatTheyAreReachedBy(String which) throws GeneralSecurityException {
		Set<String> names = names(secrets.file("quorate-" + which + "-tls", "tls.crt"));
		List<String> hosts = new ArrayList<>();
		for (JsonNode member : Manifests.configuration("base").at("/cluster/members")) {
			hosts.add(member.asString().replaceAll(".*@|:.*", ""));
		}
		hosts.add("*." + Manifests.statefulSet().at("/spec/serviceName").asString());
		if (which.equals("clients")) {
			hosts.addAll(List.of("quorate", "localhost"));
			assertThat(names).contains("quorate.shop.svc", "*.quorate-peers.shop.svc");
		}
		assertThat(names).containsAll(hosts);
		JsonNode wanted = Manifests.one("components/cert-manager/certificates.yaml", "Certificate", "quorate-" + which)
			.get("spec");
		assertThat(wanted.get("dnsNames")).extracting(JsonNode::asString).containsExactlyInAnyOrderElementsOf(hosts);
		assertThat(wanted.get("secretName").asString()).isEqualTo("quorate-" + which + "-tls");
		assertThat(volumes()).containsValue("quorate-" + which + "-tls");
	}

	private static Set<String> names(byte[] certificate) throws GeneralSecurityException {
		Collection<List<?>> names = certificate(certificate).getSubjectAlternativeNames();
		Set<String> texts = new TreeSet<>();
		names.forEach((name) -> texts.add((String) name.get(1)));
		return texts;
	}

	private static X509Certificate certificate(byte[] content) throws GeneralSecurityException {
		return (X509Certificate) CertificateFactory.getInstance("X.509")
			.generateCertificate(new ByteArrayInputStream(content));
	}

	@Test
	void theSecretsAreMadeAgainWithTheSameAuthoritiesAndTokens() throws GeneralSecurityException {
		ManifestSecrets again = ManifestSecrets.make(made);
		assertThat(again.all().keySet()).containsExactly("quorate-access", "quorate-backup", "quorate-clients-tls",
				"quorate-peers-tls", "quorate-prometheus");
		for (List<String> file : List.of(List.of("quorate-access", "access.yml"), List.of("quorate-backup", "token"),
				List.of("quorate-prometheus", "token"), List.of("quorate-peers-tls", "ca.crt"),
				List.of("quorate-clients-tls", "ca.crt"))) {
			assertThat(again.file(file.get(0), file.get(1))).as("%s", file)
				.isEqualTo(secrets.file(file.get(0), file.get(1)));
		}
		byte[] renewed = again.file("quorate-peers-tls", "tls.crt");
		assertThat(renewed).isNotEqualTo(secrets.file("quorate-peers-tls", "tls.crt"));
		certificate(renewed).verify(certificate(secrets.file("quorate-peers-tls", "ca.crt")).getPublicKey());
	}

	@Test
	void aClusterOfAnotherNameHasSecretsOfItsOwn(@TempDir Path directory) throws GeneralSecurityException {
		ManifestSecrets orders = ManifestSecrets.make(directory, "--name", "orders", "--pods", "2");
		assertThat(orders.all().keySet()).containsExactly("orders-access", "orders-backup", "orders-clients-tls",
				"orders-peers-tls", "orders-prometheus");
		assertThat(names(orders.file("orders-peers-tls", "tls.crt"))).containsExactlyInAnyOrder("orders-0.orders-peers",
				"orders-1.orders-peers", "*.orders-peers");
		assertThat(names(orders.file("orders-clients-tls", "tls.crt"))).contains("orders", "orders.shop.svc",
				"*.orders-peers.shop.svc", "orders-1.orders-peers", "localhost");
	}

	@Test
	void certificatesAreLeftToCertManager(@TempDir Path directory) throws IOException {
		assertThat(ManifestSecrets.make(directory, "--tokens").all().keySet()).containsExactly("quorate-access",
				"quorate-backup", "quorate-prometheus");
		try (Stream<Path> files = Files.list(directory)) {
			assertThat(files.map((file) -> file.getFileName().toString())).noneMatch((name) -> name.endsWith(".key"));
		}
	}

	@Test
	void theSecretsHoldNoKeyOfAnAuthority() throws IOException {
		for (String authority : List.of("nodes-ca.key", "clients-ca.key")) {
			byte[] key = Files.readAllBytes(made.resolve(authority));
			secrets.all().values().forEach((files) -> assertThat(files.values()).doesNotContain(key));
		}
		String ops = new String(Files.readAllBytes(made.resolve("ops.token")), StandardCharsets.UTF_8);
		secrets.all()
			.values()
			.forEach((files) -> assertThat(files.values())
				.noneMatch((content) -> new String(content, StandardCharsets.UTF_8).contains(ops)));
	}

	@Test
	void theHandbookSaysHowTheyAreMade() {
		assertThat(Handbook.KUBERNETES.text())
			.contains("bin/certificates --kubernetes quorate DIRECTORY | kubectl apply -f -")
			.contains("kubectl label namespace quorate pod-security.kubernetes.io/enforce=restricted");
	}

	private static Map<String, String> settings(String file) {
		try {
			Map<String, String> settings = new TreeMap<>();
			for (PropertySource<?> source : new YamlPropertySourceLoader().load(file,
					new FileSystemResource(Manifests.ROOT.resolve(file)))) {
				for (Object name : ((Map<?, ?>) source.getSource()).keySet()) {
					settings.put((String) name, String.valueOf(source.getProperty((String) name)));
				}
			}
			return settings;
		}
		catch (IOException failed) {
			throw new AssertionError(failed);
		}
	}

}
