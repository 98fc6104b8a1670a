package io.quorate.api;

import java.io.IOException;

import io.quorate.api.RawConnection.Answer;
import io.quorate.entry.Key;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

class KeyInPathHttpTests extends HttpTests {

	private static final String PATH = "/v0/entity/";

	@ParameterizedTest
	@CsvSource(delimiter = ' ', quoteCharacter = '`', textBlock = """
			a a
			a/b a/b
			a%2Fb a/b
			a%2fb a/b
			/a /a
			a//b a//b
			a/ a/
			. .
			../actuator/health ../actuator/health
			%2e%2e/x ../x
			a+b a+b
			a%2Bb a+b
			a%2525 a%25
			John%20Smith%20+%20S%C3%B6hne/%C3%BC%25 `John Smith + Söhne/ü%`
			a;v=1,2 a;v=1,2
			a:b@c!$&'()*=~ a:b@c!$&'()*=~
			a%7cb a|b
			a%23b a#b
			a%22b a"b
			a[1] a[1]
			%00 `\u0000`
			""")
	void allBehindTheSlashIsTheKeyDecodedOnce(String path, String text) throws IOException {
		String key = text.replace("\\u0000", "\u0000");
		assertThat(put(PATH + path, "v".getBytes(UTF_8)).status).isEqualTo(201);
		assertThat(this.coordinator.held(Key.of(key))).as(key).isNotNull();
		assertThat(ask("GET", PATH + path + "?_=1").text()).isEqualTo("v");
		assertThat(ask("GET", "/v0/entity?id=" + encoded(key)).text()).isEqualTo("v");
		assertThat(ask("DELETE", PATH + path + "?replicas=1/1").status).isEqualTo(202);
		assertThat(ask("GET", PATH + path).status).isEqualTo(404);
	}

	private static String encoded(String key) {
		StringBuilder encoded = new StringBuilder();
		for (byte each : key.getBytes(UTF_8)) {
			encoded.append("%%%02x".formatted(each));
		}
		return encoded.toString();
	}

	@Test
	void headWorksAsInAParameter() throws IOException {
		assertThat(put(PATH + encoded("ключ"), "value".getBytes(UTF_8)).status).isEqualTo(201);
		assertThat(this.coordinator.held(Key.of("ключ"))).isNotNull();
		try (RawConnection connection = connect()) {
			assertThat(connection.request("HEAD", PATH + encoded("ключ")).head().headers)
				.containsEntry("content-length", "5");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "#", "#x", "\"", "<", ">", "\\", "^", "`", "{", "|", "}", "\t", "\u000b", "\u0001",
			"\u007f", "\u00d0\u00ba", "\u00a0", "\u0085" })
	void aCharacterThatNoUriHasIsRefused(String raw) throws IOException {
		for (String target : new String[] { PATH + "a" + raw + "b", "/v0/entity?id=a" + raw + "b",
				"/v0/entities?prefix=" + raw + "b", "/" + raw + "b" }) {
			for (String method : new String[] { "PUT", "GET" }) {
				Answer answer = ask(method, target);
				assertThat(answer.status).as("%s %s", method, target).isEqualTo(400);
				assertThat(answer.headers).containsEntry("content-type", "application/problem+json");
			}
		}
		assertThat(this.coordinator.calls).hasValue(0);
		assertThat(this.coordinator.pages).hasValue(0);
	}

	@ParameterizedTest
	@CsvSource(delimiter = ' ', textBlock = """
			/v0/entity/ empty
			/v0/entity/?id=a path
			/v0/entity/a?id=a path
			/v0/entity/a?key=a path
			/v0/entity/a?id= path
			/v0/entity/%zz escape
			/v0/entity/a% escape
			/v0/entity/%ff UTF-8
			/v0/entity/a?ack=2 above
			/v0/entity/a?tll=2 ttl
			""")
	void wrongKeysInPathsAreRefused(String target, String wrong) throws IOException {
		for (String method : new String[] { "GET", "PUT", "DELETE" }) {
			assertProblem(ask(method, target), 400, "bad-request", wrong);
		}
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void aKeyMayHave1024Bytes() throws IOException {
		assertThat(put(PATH + "%D0%BA".repeat(512), new byte[1]).status).isEqualTo(201);
		assertProblem(put(PATH + "%D0%BA".repeat(512) + "a", new byte[1]), 400, "bad-request",
				"the key in the path is 1025 bytes long");
	}

	@ParameterizedTest
	@ValueSource(strings = { "secret-key", "a/secret-key", "..%2fsecret-key" })
	void noProblemNamesTheKey(String key) throws IOException {
		Answer answer = ask("GET", PATH + key);
		assertProblem(answer, 404, "not-found", "no value");
		assertThat(answer.text()).contains("\"instance\":\"/v0/entity\"").doesNotContain("secret");
		this.coordinator.failure = new IllegalStateException("a bug");
		assertThat(ask("GET", PATH + key).text()).doesNotContain("secret");
	}

	@Test
	void otherMethodsAreNotAllowed() throws IOException {
		assertProblem(ask("POST", PATH + "a"), 405, "method-not-allowed", "GET, HEAD, PUT, PATCH, DELETE");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/v0/entity%2Fa", "/v0//entity/a", "/v0/./entity/a", "/v0/entities/../entity/a" })
	void theRestOfThePathHasOneSpelling(String target) throws IOException {
		assertProblem(ask("GET", target), 400, "bad-request", "path");
	}

}
