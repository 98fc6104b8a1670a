package io.quorate.security;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class SecurityPropertiesTests {

	/* Spring Boot binds both for a property that is meant to be off: an open node. */
	@ParameterizedTest
	@ValueSource(strings = { "", "  ", "false", "False", "FALSE" })
	void aPathThatIsNoneIsRefused(String access) {
		assertThatIllegalArgumentException().isThrownBy(() -> new SecurityProperties(access, false, null, null))
			.withMessageContaining("quorate.security.access is the path of a file");
	}

	@ParameterizedTest
	@ValueSource(strings = { "x", "0123", "g000000000000000000000000000000000000000000000000000000000000000" })
	void aKeyOfLogsIsThirtyTwoBytes(String logKey) {
		assertThatIllegalArgumentException().isThrownBy(() -> new SecurityProperties(null, false, logKey, null))
			.withMessageContaining("must be 64 hexadecimal digits")
			.withMessageNotContaining(logKey + " ");
	}

	@Test
	void theSecretIsNotPrinted() {
		assertThat(new SecurityProperties("access.yml", false, "ab".repeat(32), null)).asString()
			.doesNotContain("abab");
	}

}
