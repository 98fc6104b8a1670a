package io.quorate.security;

import java.util.HexFormat;

import io.quorate.entry.Key;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LoggedKeyTests {

	/* Of RFC 4231, test case 2, whose key is padded with zeroes by HMAC itself. */
	private static final Key DATA = Key.of("what do ya want for nothing?");

	@Test
	void aKeyIsLoggedAsItsKeyedHash() {
		String before = LoggedKey.of(DATA);
		assertThat(before).matches("[0-9a-f]{16}").isEqualTo(LoggedKey.of(DATA)).isNotEqualTo("5bdcc146bf60754e");
		byte[] logKey = new byte[LoggedKey.LOG_KEY_BYTES];
		System.arraycopy("Jefe".getBytes(java.nio.charset.StandardCharsets.US_ASCII), 0, logKey, 0, 4);
		new SecurityConfiguration(new SecurityProperties(null, false, HexFormat.of().formatHex(logKey), null));
		assertThat(LoggedKey.of(DATA)).isEqualTo("5bdcc146bf60754e");
		assertThat(LoggedKey.of(Key.of("another"))).isNotEqualTo(LoggedKey.of(DATA));
		assertThat(LoggedKey.of(null)).isEqualTo("unknown");
	}

	@ParameterizedTest
	@ValueSource(strings = { "00", "not hexadecimal" })
	void aLogKeyOfAnotherSizeIsRefusedWithoutBeingPrinted(String wrong) {
		assertThatIllegalArgumentException().isThrownBy(() -> new SecurityProperties(null, false, wrong, null))
			.withMessageContaining("quorate.security.log-key must be 64 hexadecimal digits")
			.satisfies((refusal) -> assertThat(refusal.getMessage()).doesNotContain("'" + wrong + "'"));
		assertThat(new SecurityProperties(null, false, "00".repeat(32), null).toString()).doesNotContain("0000");
	}

	@Test
	void withoutALogKeyARandomOneStays() {
		String before = LoggedKey.of(DATA);
		new SecurityConfiguration(new SecurityProperties(null, false, null, null));
		new SecurityConfiguration(new SecurityProperties(null, false, "", null));
		assertThat(LoggedKey.of(DATA)).isEqualTo(before);
	}

}
