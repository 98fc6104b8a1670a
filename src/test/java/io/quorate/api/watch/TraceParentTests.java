package io.quorate.api.watch;

import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;

class TraceParentTests {

	private static final String IDS = "-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-";

	@ParameterizedTest
	@CsvSource({ "00,01,01", "00,00,00", "00,ff,ff", "01,03,01", "cc,02-what-may-come,00" })
	void aValidTraceParentIsReducedToTheKnownVersion(String version, String rest, String flags) {
		TraceParent parsed = Objects.requireNonNull(TraceParent.parse(version + IDS + rest));
		assertThat(parsed.text()).isEqualTo("00" + IDS + flags);
		assertThat(parsed.traceId()).isEqualTo("0af7651916cd43dd8448eb211c80319c");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "00", "00" + IDS, "00" + IDS + "1", "00" + IDS + "01-more", "01" + IDS + "01more",
			"ff" + IDS + "01", "0X" + IDS + "01", "00" + IDS + "0g",
			"00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
			"00-00000000000000000000000000000000-b7ad6b7169203331-01",
			"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
			"00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01" })
	void anInvalidTraceParentIsIgnored(String sent) {
		assertThat(TraceParent.parse(sent)).isNull();
	}

	@Test
	void whichOfTwoWasMeantIsNotGuessed() {
		HttpHeaders headers = new HttpHeaders();
		assertThat(TraceParent.of(headers)).isNull();
		headers.add("Traceparent", "00" + IDS + "01");
		assertThat(TraceParent.of(headers)).isNotNull();
		headers.add("traceparent", "00" + IDS + "01");
		assertThat(TraceParent.of(headers)).isNull();
	}

}
