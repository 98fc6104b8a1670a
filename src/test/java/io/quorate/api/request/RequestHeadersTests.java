package io.quorate.api.request;

import java.time.Duration;

import io.quorate.api.problem.ProblemException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RequestHeadersTests {

	private final RequestTimeout timeout = new RequestTimeout(Duration.ofSeconds(1), Duration.ofSeconds(30));

	@ParameterizedTest
	@CsvSource(nullValues = "-", textBlock = """
			-,             -,         -
			ttl=1,         -,         1
			-,             60,        60
			ttl=60,        60,        60
			ttl=060,       60,        60
			ttl=315360000, -, 315360000
			""")
	void aValueLivesAsLongAsParameterOrHeaderSay(@Nullable String query, @Nullable String header,
			@Nullable Long seconds) {
		Duration ttl = TimeToLive.of(RawQuery.parse(query), headers("Quorate-TTL", header));
		assertThat(ttl).isEqualTo((seconds != null) ? Duration.ofSeconds(seconds) : null);
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-", textBlock = """
			ttl=0,         -,     between 1 and 315360000
			ttl=315360001, -,     between 1 and 315360000
			ttl=-1,        -,     no whole number
			ttl=1s,        -,     no whole number
			ttl=,          -,     no whole number
			-,             0,     between
			-,             soon,  no whole number
			ttl=1,         2,     send one of them
			ttl=1&ttl=1,   -,     only once
			""")
	void aTtlThatIsWrongOrContradictoryIsRefused(@Nullable String query, @Nullable String header, String wrong) {
		assertThatExceptionOfType(ProblemException.class)
			.isThrownBy(() -> TimeToLive.of(RawQuery.parse(query), headers("Quorate-TTL", header)))
			.withMessageContaining(wrong);
	}

	@Test
	void aTimeoutIsInMillisecondsUpToTheLongest() {
		assertThat(this.timeout.of(new HttpHeaders())).isEqualTo(Duration.ofSeconds(1));
		assertThat(this.timeout.of(headers("Quorate-Timeout", "1"))).isEqualTo(Duration.ofMillis(1));
		assertThat(this.timeout.of(headers("quorate-timeout", "30000"))).isEqualTo(Duration.ofSeconds(30));
	}

	@ParameterizedTest
	@CsvSource({ "0", "30001", "-1", "1s", "''" })
	void aTimeoutOutOfBoundsIsRefused(String header) {
		assertThatExceptionOfType(ProblemException.class)
			.isThrownBy(() -> this.timeout.of(headers("Quorate-Timeout", header)))
			.withMessageContaining("Quorate-Timeout");
	}

	private static HttpHeaders headers(String name, @Nullable String value) {
		HttpHeaders headers = new HttpHeaders();
		if (value != null) {
			headers.add(name, value);
		}
		return headers;
	}

}
