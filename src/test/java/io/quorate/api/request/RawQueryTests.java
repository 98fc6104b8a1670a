package io.quorate.api.request;

import java.util.Collections;
import java.util.Set;

import io.quorate.api.problem.ProblemException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RawQueryTests {

	@Test
	void aQueryHasABoundedNumberOfParameters() {
		assertThat(RawQuery.parse("id=k&" + repeated(63)).raw("id")).isEqualTo("k");
		assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> RawQuery.parse(repeated(5000)))
			.withMessage("there are more than 64 parameters");
	}

	private static String repeated(int count) {
		return String.join("&", Collections.nCopies(count, "7"));
	}

	@Test
	void theNearestNameIsMeantAndOfThoseTheFirst() {
		Set<String> names = Set.of("end", "ends", "start", "stars");
		assertThat(RawQuery.meant("enda", names)).isEqualTo("end");
		assertThat(RawQuery.meant("star", names)).isEqualTo("stars");
		assertThat(RawQuery.meant("STARX", names)).isEqualTo("stars");
		assertThat(RawQuery.meant("e", Set.of("abc"))).isNull();
		assertThat(RawQuery.meant("xy", Set.of("ab"))).as("nothing in common").isNull();
	}

}
