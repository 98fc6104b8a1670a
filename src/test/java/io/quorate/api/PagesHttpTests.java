package io.quorate.api;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.quorate.api.RawConnection.Answer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class PagesHttpTests extends HttpTests {

	private static final String BROWSER = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

	private static final Pattern LOADED = Pattern.compile("(?:href|src)=\"([^\"]+)\"");

	@Test
	void aBrowserGetsAPageThatSaysWhereItIs() throws IOException {
		Answer page = ask("GET", "/", BROWSER);
		assertThat(page.status).isEqualTo(200);
		assertThat(page.headers).containsEntry("content-type", "text/html;charset=UTF-8")
			.containsEntry("cache-control", "no-store")
			.containsEntry("vary", "Accept");
		assertThat(page.text()).startsWith("<!DOCTYPE html>")
			.contains("<dd>n&lt;0&gt;</dd>", "<dd>quorate&amp;co</dd>", "<dd>1.2.3</dd>", "href=\"/v0/docs\"",
					"href=\"/v0/openapi.yaml\"", "href=\"/actuator/health\"", "http://localhost/v0/entity")
			.doesNotContain("{{", "<script", "n<0>");
	}

	@ParameterizedTest
	@ValueSource(strings = { "Accept: */*", "X: y", "Accept: text/plain", "Accept: application/json",
			"Accept: text/html;q=0", "Accept: nonsense" })
	void otherClientsGetText(String accept) throws IOException {
		Answer text = ask("GET", "/", accept);
		assertThat(text.status).isEqualTo(200);
		assertThat(text.headers).containsEntry("content-type", "text/plain;charset=UTF-8")
			.containsEntry("vary", "Accept");
		assertThat(text.text())
			.contains("node n<0> of cluster quorate&co", "http://localhost/v0/docs", "http://localhost/v0/openapi.yaml",
					"http://localhost/actuator/health", "curl ")
			.endsWith("\n");
	}

	@ParameterizedTest
	@ValueSource(strings = { "localhost:8080", "[::1]:80", "127.0.0.1" })
	void commandsNameTheHostOfTheRequest(String host) throws IOException {
		assertThat(pageFor(host, "*/*").text()).contains("curl 'http://" + host + "/v0/");
		assertThat(pageFor(host, "text/html").text()).contains("curl &#39;http://" + host + "/v0/");
	}

	/* The commands are made to be copied to a shell. */
	@ParameterizedTest
	@ValueSource(strings = { "localhost:$(reboot)", "localhost:'reboot", "localhost:<b>reboot", "127.1;reboot" })
	void anOddHostIsNotRepeated(String host) throws IOException {
		for (String accept : List.of("*/*", "text/html")) {
			assertThat(pageFor(host, accept).text()).doesNotContain("reboot");
		}
	}

	private Answer pageFor(String host, String accept) throws IOException {
		try (RawConnection connection = connect()) {
			return connection.send("GET / HTTP/1.1\r\nHost: " + host + "\r\nAccept: " + accept + "\r\n\r\n").answer();
		}
	}

	@Test
	void theStyleOfThePageIsTheOneThatItsPolicyAllows() throws IOException, NoSuchAlgorithmException {
		Answer page = ask("GET", "/", BROWSER);
		Matcher style = Pattern.compile("(?s)<style>(.*)</style>").matcher(page.text());
		assertThat(style.find()).isTrue();
		String hash = Base64.getEncoder()
			.encodeToString(
					MessageDigest.getInstance("SHA-256").digest(style.group(1).getBytes(StandardCharsets.UTF_8)));
		assertThat(page.headers.get("content-security-policy")).startsWith("default-src 'none'; ")
			.contains("style-src 'sha256-" + hash + "'")
			.contains("frame-ancestors 'none'")
			.doesNotContain("unsafe", "http");
		assertThat(page.text()).doesNotContain(" style=", " onclick=");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/", "/v0/openapi.yaml", "/v0/docs", "/v0/docs/docs.js", "/v0/status" })
	void aPageHasNoParameters(String path) throws IOException {
		assertProblem(ask("GET", path + "?verbose=1"), 400, "bad-request",
				"'verbose' is unknown here, where there are none");
		assertThat(ask("GET", path + "?utm_source=x").text()).doesNotContain("utm_source");
	}

	@ParameterizedTest
	@CsvSource({ "/v0/openapi.yaml, application/yaml", "/v0/docs, text/html;charset=UTF-8",
			"/v0/docs/docs.js, text/javascript;charset=UTF-8", "/v0/docs/docs.css, text/css;charset=UTF-8" })
	void aFileIsServedAndKnownByItsTag(String path, String type) throws IOException {
		Answer file = ask("GET", path, BROWSER);
		assertThat(file.status).isEqualTo(200);
		assertThat(file.headers).containsEntry("content-type", type).containsEntry("cache-control", "no-cache");
		assertThat(file.text()).endsWith("\n");
		String tag = file.headers.get("etag");
		assertThat(tag).matches("\"[0-9a-f]{32}\"");
		for (String known : List.of(tag, "W/" + tag, "\"other\", " + tag, "*")) {
			for (String method : List.of("GET", "HEAD")) {
				Answer same = headOf(method, path, "If-None-Match: " + known);
				assertThat(same.status).as(known).isEqualTo(304);
				assertThat(same.headers).containsEntry("etag", tag)
					.doesNotContainKeys("content-type", "transfer-encoding");
			}
		}
		for (String unknown : List.of("\"other\"", "", "nonsense", "\"", ",", "W/")) {
			assertThat(ask("GET", path, "If-None-Match: " + unknown).body).as(unknown).isEqualTo(file.body);
		}
		assertThat(headOf("HEAD", path).headers).containsEntry("etag", tag)
			.containsEntry("content-length", Integer.toString(file.body.length));
	}

	/** The head of an answer that has no body. */
	private Answer headOf(String method, String path, String... headers) throws IOException {
		try (RawConnection connection = connect()) {
			Answer head = connection.request(method, path, headers).head();
			assertThat(connection.request("GET", "/v0/nothing").answer().status).as("no body came").isEqualTo(400);
			return head;
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/", "/v0/openapi.yaml", "/v0/docs", "/v0/docs/docs.js" })
	void everyPageIsGuarded(String path) throws IOException {
		Answer page = ask("GET", path, BROWSER);
		assertThat(page.headers).containsEntry("x-content-type-options", "nosniff")
			.containsEntry("referrer-policy", "no-referrer")
			.containsEntry("cross-origin-opener-policy", "same-origin")
			.containsEntry("cross-origin-resource-policy", "same-origin");
		assertThat(page.headers.get("content-security-policy")).startsWith("default-src 'none'")
			.contains("frame-ancestors 'none'")
			.doesNotContain("unsafe");
		assertProblem(ask("GET", path, BROWSER, "Origin: http://evil.example"), 403, "cross-origin", "");
		Answer refused = ask("PUT", path, "Content-Length: 0");
		assertProblem(refused, 405, "method-not-allowed", "PUT");
		assertThat(refused.headers).containsEntry("allow", "GET, HEAD");
	}

	/* A file that is larger than a slice comes whole. The build puts it there. */
	@Test
	void theReferenceLoadsNothingButFilesOfThisNode() throws IOException {
		Matcher loaded = LOADED.matcher(ask("GET", "/v0/docs", BROWSER).text());
		int files = 0;
		while (loaded.find()) {
			if (!loaded.group(1).startsWith("data:")) {
				Answer file = ask("GET", "/v0/" + loaded.group(1));
				assertThat(file.status).as(loaded.group(1)).isEqualTo(200);
				assertThat(file.body).hasSize(Integer.parseInt(file.headers.get("content-length")));
				files++;
			}
		}
		assertThat(files).isEqualTo(5);
		assertThat(ask("GET", "/v0/docs/docs.js").text()).contains("validatorUrl: null")
			.doesNotContain("http:", "https:");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/v0/docs/", "/v0/docs/start.html", "/v0/docs/swagger-ui-bundle.js.LICENSE.txt",
			"/v0/openapi.json" })
	void nothingElseIsServed(String path) throws IOException {
		assertThat(ask("GET", path).status).isEqualTo(400);
	}

}
