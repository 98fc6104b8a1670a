package io.quorate.operations;

import java.time.Instant;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class RuntimeAgeTests {

	private static void say(@Nullable String released, String now) {
		RuntimeAge.sayIfOld("25.0.3+9-LTS", released, () -> Instant.parse(now).toEpochMilli());
	}

	@Test
	void aRuntimeOfMoreThan120DaysIsNamedWithItsAge(CapturedOutput output) {
		say("2026-04-21", "2026-08-19T00:00:00.001Z");
		assertThat(output).doesNotContain("WARN").contains("The Java runtime 25.0.3+9-LTS was released 120 days ago");
	}

	@Test
	void aYoungerOneIsNot(CapturedOutput output) {
		say("2026-04-21", "2026-08-19T00:00:00Z");
		// As with a clock that is wrong.
		say("2026-04-21", "1970-01-01T00:00:00Z");
		assertThat(output).doesNotContain("runtime");
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", "2026-13-01", "internal" })
	void anUnknownAgeIsNotNamed(@Nullable String released, CapturedOutput output) {
		say(released, "2036-08-19T00:00:00Z");
		assertThat(output).doesNotContain("runtime");
	}

	@Test
	void theRuntimeOfTheTestsSaysWhenItWasReleased() {
		assertThat(System.getProperty("java.version.date")).matches("\\d{4}-\\d{2}-\\d{2}");
	}

}
