package io.quorate.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The secrets that {@code bin/certificates --kubernetes} makes, and the files that a pod
 * of the base sees of them.
 */
final class ManifestSecrets {

	static final String ROOT = "/security";

	/* By the secret and its key. */
	private final Map<String, Map<String, byte[]>> secrets = new TreeMap<>();

	private final Path made;

	private ManifestSecrets(Path made) {
		this.made = made;
	}

	/** Makes the secrets, in a directory that may have those of an earlier run. */
	static ManifestSecrets make(Path directory, String... options) {
		List<String> command = new ArrayList<>(List.of(Path.of("bin", "certificates").toAbsolutePath().toString()));
		command.addAll(List.of(options));
		command.addAll(List.of("--kubernetes", "shop", directory.toString()));
		ManifestSecrets made = new ManifestSecrets(directory);
		for (Object resource : new Yaml().loadAll(output(command))) {
			JsonNode secret = JsonMapper.shared().valueToTree(resource);
			assertThat(secret.get("kind").asString()).isEqualTo("Secret");
			assertThat(secret.at("/metadata/namespace").asString()).isEqualTo("shop");
			Map<String, byte[]> files = new TreeMap<>();
			secret.get("data")
				.properties()
				.forEach((file) -> files.put(file.getKey(), Base64.getDecoder().decode(file.getValue().asString())));
			made.secrets.put(secret.at("/metadata/name").asString(), files);
		}
		return made;
	}

	private static String output(List<String> command) {
		try {
			Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
			try (InputStream said = process.getInputStream()) {
				String text = new String(said.readAllBytes(), StandardCharsets.UTF_8);
				assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
				assertThat(process.exitValue()).isZero();
				return text;
			}
		}
		catch (IOException failed) {
			throw new UncheckedIOException(failed);
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(interrupted);
		}
	}

	Map<String, Map<String, byte[]>> all() {
		return this.secrets;
	}

	/** One file of one secret. */
	byte[] file(String secret, String key) {
		return Objects.requireNonNull(files(secret).get(key), () -> secret + " has no " + key);
	}

	private Map<String, byte[]> files(String secret) {
		return Objects.requireNonNull(this.secrets.get(secret), () -> "no secret " + secret);
	}

	/** The token of a principal that only people have. */
	String token(String principal) {
		return WatchFiles.read(this.made.resolve(principal + ".token"));
	}

	/**
	 * Puts the secrets where the container of the nodes has them, below another root, and
	 * says what the nodes are configured with there.
	 */
	Path mount(Path root) throws IOException {
		for (JsonNode mount : Manifests.container().get("volumeMounts")) {
			String path = mount.get("mountPath").asString();
			if (path.startsWith(ROOT)) {
				Path directory = Files.createDirectories(root.resolve(path.substring(1)));
				for (var file : files(secretOf(mount.get("name").asString())).entrySet()) {
					Files.write(directory.resolve(file.getKey()), file.getValue());
				}
			}
		}
		Path configuration = root.resolve("security.yml");
		return Files.writeString(configuration, WatchFiles.read(Manifests.ROOT.resolve("base/security.yml"))
			.replace(" " + ROOT + "/", " " + root + ROOT + "/"));
	}

	private static String secretOf(String volume) {
		for (JsonNode each : Manifests.podSpec().get("volumes")) {
			if (each.get("name").asString().equals(volume)) {
				return each.at("/secret/secretName").asString();
			}
		}
		throw new AssertionError("no volume " + volume);
	}

}
