package io.quorate.process;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The check for advisories, {@code .ci/advisories}, against a service that knows one. The
 * build itself asks no service.
 */
@Tag(Scale.FULL)
class AdvisoriesTests {

	private static final String SBOM = """
			{"components": [
			{"group": "org.example", "name": "good", "purl": "pkg:maven/org.example/good@1?type=jar"},
			{"group": "org.example", "name": "bad", "purl": "pkg:maven/org.example/bad@2?type=jar"}]}
			""";

	@TempDir
	private Path directory;

	private HttpServer service;

	private volatile String severity = "HIGH";

	@BeforeEach
	void start() throws IOException {
		this.service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		answer("/v1/querybatch", () -> "{\"results\": [{}, {\"vulns\": [{\"id\": \"GHSA-1\"}]}]}");
		answer("/v1/vulns/GHSA-1", () -> """
				{"id": "GHSA-1", "aliases": ["CVE-1"], "summary": "It is bad", "database_specific": {"severity": "%s"}}
				""".formatted(this.severity));
		this.service.start();
	}

	@AfterEach
	void stop() {
		this.service.stop(0);
	}

	private void answer(String path, Supplier<String> text) {
		this.service.createContext(path, (exchange) -> {
			byte[] body = text.get().getBytes(StandardCharsets.UTF_8);
			exchange.sendResponseHeaders(200, body.length);
			exchange.getResponseBody().write(body);
			exchange.close();
		});
	}

	@Test
	void anAdvisoryOfHighSeverityFails() throws Exception {
		assertThat(check("accepted: []\n")).startsWith("1 ").contains("pkg:maven/org.example/bad@2: GHSA-1");
		this.severity = "MODERATE";
		assertThat(check("accepted: []\n")).startsWith("0 ");
	}

	@Test
	void anAcceptedOneFailsAfterItsLastDay() throws Exception {
		LocalDate today = LocalDate.now(ZoneOffset.UTC);
		assertThat(check(accepted("GHSA-1", today.plusDays(2)))).startsWith("0 ");
		assertThat(check(accepted("CVE-1", today.plusDays(2)))).startsWith("0 ");
		assertThat(check(accepted("GHSA-1", today.minusDays(2)))).startsWith("1 ").contains("was accepted until");
		assertThat(check(accepted("GHSA-2", today.plusDays(2)))).startsWith("1 ");
	}

	private static String accepted(String id, LocalDate until) {
		return "accepted:\n  - {id: %s, package: \"org.example:bad\", until: %s, reason: \"unused\"}\n".formatted(id,
				until);
	}

	@Test
	void aServiceThatIsNotThereIsNoGoodAnswer() throws Exception {
		this.service.removeContext("/v1/querybatch");
		assertThat(check("accepted: []\n")).startsWith("2 ");
		answer("/v1/querybatch", () -> "<html>a proxy</html>");
		assertThat(check("accepted: []\n")).startsWith("2 ");
		stop();
		assertThat(check("accepted: []\n")).startsWith("2 ");
	}

	/* Unlike a service that is away, it is a fault of the commit. */
	@Test
	void aFileThatCannotBeReadHasACodeOfItsOwn() throws Exception {
		assertThat(check("accepted:\n  - GHSA-1\n")).startsWith("3 ").contains(":2: not of the form");
	}

	@Test
	void acceptedAdvisoriesAreGivenReasonAndDay() {
		for (JsonNode entry : WatchFiles.yaml(Path.of("config", "advisories.yml")).get("accepted")) {
			assertThat(entry.properties()).extracting(Map.Entry::getKey)
				.containsExactlyInAnyOrder("id", "package", "until", "reason");
		}
	}

	/* The exit code and what was said. */
	private String check(String accepted) throws IOException, InterruptedException {
		Path sbom = Files.writeString(this.directory.resolve("sbom.json"), SBOM);
		Path file = Files.writeString(this.directory.resolve("advisories.yml"), accepted);
		ProcessBuilder command = new ProcessBuilder(Path.of(".ci", "advisories").toAbsolutePath().toString(),
				sbom.toString())
			.redirectErrorStream(true);
		command.environment().put("OSV_URL", "http://127.0.0.1:" + this.service.getAddress().getPort());
		command.environment().put("ADVISORIES", file.toString());
		Process process = command.start();
		try (InputStream said = process.getInputStream()) {
			String text = new String(said.readAllBytes(), StandardCharsets.UTF_8);
			assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
			return process.exitValue() + " " + text;
		}
	}

}
