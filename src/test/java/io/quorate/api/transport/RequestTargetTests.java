package io.quorate.api.transport;

import java.net.URI;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class RequestTargetTests {

	@ParameterizedTest
	@ValueSource(
			strings = { "/", "/v0/entity?id=a", "/v0/entity?id=%D0%BA&x=a+b", "/v0/status", "/a.b/~c_d-E9/?x=//..;" })
	void leavesALegalTargetAsItIs(String sent) {
		RequestTarget target = RequestTarget.of(sent);
		assertThat(target.text()).isSameAs(sent);
		assertThat(target.flaw()).isNull();
	}

	@Test
	void encodesBracketsWhichBrowsersLeave() {
		RequestTarget target = RequestTarget.of("/v0/entity?id=a[1]");
		assertThat(target.text()).isEqualTo("/v0/entity?id=a%5B1%5D");
		assertThat(target.flaw()).isNull();
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '\'', textBlock = """
			/v0/entity?id=a|b,  %7C
			/v0/entity/a{a,     %7B
			/v0/entity/a"b,     %22
			/v0/entity?id=a#b,  %23
			/v0/entity/a#,      %23
			/v0/entity?id=a\\b,  %5C
			/v0/entity?id=a^%20, %5E
			/v0/entity?id=a<b,  %3C
			/?a`,               %60
			/v0/entity?id=Ð,    %D0
			""")
	void marksWhatStandsInNoUri(String sent, String written) {
		RequestTarget target = RequestTarget.of(sent);
		assertThat(target.flaw()).contains("stands in no URI").endsWith("is written " + written);
		assertThat(URI.create("http://host" + target.text()).getRawFragment()).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/v0/entity?id=%zz", "/v0/entity?id=%", "/v0/entity?id=a%2", "/?%" })
	void marksABrokenEscape(String sent) {
		RequestTarget target = RequestTarget.of(sent);
		assertThat(target.flaw()).contains("broken percent escape").contains("%25");
		assertThat(URI.create("http://host" + target.text())).isNotNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "*", "v0/entity", "host:80", "ftp://host/", "http://host/v0/status", "" })
	void marksWhatIsNoPath(String sent) {
		assertThat(RequestTarget.of(sent).flaw()).contains("not a path");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/%61ctuator/health", "/actuator;x=1/health", "/actuator/health;a", "/v0//entity?id=a",
			"//v0/entity", "/v0/./entity", "/v0/../entity", "/.", "/v0/.hidden", "/v0/entity%3Fid=a", "/v0%xx/entity",
			"/v0/entity#x", "/v0\\entity", "/v0/\u00e4", "/v0/a+b", "/v0/a:b", "/%" })
	void marksAPathThatHasAnotherSpelling(String sent) {
		RequestTarget target = RequestTarget.of(sent);
		assertThat(target.flaw()).contains("the path must be written with");
		assertThat(target.text()).isEqualTo("/");
	}

	@Test
	void aTargetOfAnyCharactersCanBeParsedAfterwards() {
		long seed = new Random().nextLong();
		Random random = new Random(seed);
		for (int i = 0; i < 20_000; i++) {
			StringBuilder sent = new StringBuilder("/");
			for (int length = random.nextInt(12); length > 0; length--) {
				sent.append((random.nextInt(3) == 0) ? '%' : (char) (0x21 + random.nextInt(0xff - 0x21)));
			}
			RequestTarget target = RequestTarget.of(sent.toString());
			assertThat(URI.create("http://host" + target.text()).getRawFragment()).as("seed %d, %s", seed, sent)
				.isNull();
		}
	}

}
