package io.quorate.api.transport;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class HostFieldTests {

	@ParameterizedTest
	@ValueSource(strings = { "localhost", "LocalHost:8080", "127.0.0.1", "127.0.0.1:8080", "127.255.1.9:1", "[::1]",
			"[::1]:8080", "[0:0:0:0:0:0:0:1]:80" })
	void thisMachine(String host) {
		assertThat(HostField.isLocal(host, "[0:0:0:0:0:0:0:1]")).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", ":8080", "evil.example", "evil.example:8080", "localhost.evil.example",
			"127.0.0.1.evil.example", "127.evil", "1270.0.0.1", "10.0.0.1", "[::2]", "[::1", "[]", "localhost@evil",
			"xlocalhost", "[::1].evil:80" })
	void othersThatAPageMayHaveChosen(String host) {
		assertThat(HostField.isLocal(host, "127.0.0.1")).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "http://localhost:8080, localhost:8080, true", "https://Node-1, node-1, true",
			"http://localhost, localhost:8080, false", "http://evil.example, localhost:8080, false",
			"null, localhost:8080, false", "'', localhost, false", "http://, '', false",
			"http://localhost:8080.evil, localhost:8080, false", "localhost, localhost, false" })
	void pagesOfTheSameHost(String origin, String host, boolean same) {
		assertThat(HostField.isOf(origin, host, false)).isEqualTo(same);
	}

	@ParameterizedTest
	@CsvSource({ "http, true, false", "https, true, true", "HTTP, true, false", "chrome-extension, false, false",
			"'', false, false", "ws, false, false", "httpx, false, false" })
	void pagesOfTheSameScheme(String scheme, boolean same, boolean sameIfEncrypted) {
		assertThat(HostField.isOf(scheme + "://node-1:80", "node-1:80", false)).isEqualTo(same);
		assertThat(HostField.isOf(scheme + "://node-1:80", "node-1:80", true)).isEqualTo(sameIfEncrypted);
	}

	@ParameterizedTest
	@CsvSource({ "n0, true", "N0:8080, true", "[fd00::1]:80, true", "n01, false", "n0.evil, false", "'', false",
			"localhost, false" })
	void namedHosts(String host, boolean isNamed) {
		assertThat(HostField.isOneOf(host, List.of("n0", "[fd00::1]"))).isEqualTo(isNamed);
	}

	@Test
	void aPageOfNoHost() {
		assertThat(HostField.isOf("http://localhost", null, false)).isFalse();
	}

}
