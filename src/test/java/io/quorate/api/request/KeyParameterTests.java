package io.quorate.api.request;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.quorate.api.problem.ProblemException;
import io.quorate.entry.Key;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class KeyParameterTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			id=a | a
			x=1&id=a%26b&y=2 | a&b
			&&id=a& | a
			%69d=a | a
			id=%2B | +
			id==a | =a
			key=a | a
			key=a&id=%61 | a
			""")
	void findsTheKey(String query, String key) {
		assertThat(KeyParameter.of(RawQuery.parse(query))).isEqualTo(Key.of(key));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "null", textBlock = """
			null | missing
			'' | missing
			x=1 | missing
			ID=a | missing
			id= | empty
			id | empty
			id=a&id=a | only once
			id=a&%69d=b | only once
			key=a&key=a | only once
			key=a&id=b | stands beside another 'id'
			key=&id=a | empty
			id=%zz | broken percent escape
			id=%ff | not UTF-8
			""")
	void saysWhatIsWrong(String query, String wrong) {
		assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> KeyParameter.of(RawQuery.parse(query)))
			.withMessageContaining(wrong);
	}

	@Test
	void takesTheLongestKeyInEveryNotation() {
		String plain = "k".repeat(Key.MAX_SIZE_BYTES);
		assertThat(KeyParameter.of(RawQuery.parse("id=" + plain)).size()).isEqualTo(1024);
		String escaped = "%D0%BA".repeat(Key.MAX_SIZE_BYTES / 2);
		assertThat(KeyParameter.of(RawQuery.parse("key=" + escaped)).size()).isEqualTo(1024);
		assertThatExceptionOfType(ProblemException.class)
			.isThrownBy(() -> KeyParameter.of(RawQuery.parse("id=k" + plain)))
			.withMessageContaining("1025 bytes long");
	}

	@Test
	void aRangeContinuesBehindTheLongestKey() {
		String longest = "k".repeat(Key.MAX_SIZE_BYTES);
		Key start = KeyParameter.start(RawQuery.parse("start=" + longest + "%00"), "start");
		byte[] expected = longest.getBytes(StandardCharsets.UTF_8);
		expected[expected.length - 1] = 'l';
		assertThat(start).isEqualTo(Key.wrap(expected));
		assertThatExceptionOfType(ProblemException.class)
			.isThrownBy(() -> KeyParameter.start(RawQuery.parse("start=" + longest + "a"), "start"));
	}

	@Test
	void aRangeContinuesBehindAnyOtherKeyAtItsSuccessor() {
		Key start = KeyParameter.start(RawQuery.parse("start=a%00"), "start");
		assertThat(start.array()).isEqualTo(new byte[] { 'a', 0 });
	}

	@Test
	void aPrefixEndsBehindAllItsKeys() {
		Key end = KeyParameter.afterAllWith(Key.of("ab"));
		assertThat(end).isEqualTo(Key.of("ac"));
		byte[] last = "ab".getBytes(StandardCharsets.UTF_8);
		byte[] key = Arrays.copyOf(last, 10);
		Arrays.fill(key, 2, 10, (byte) 0xff);
		assertThat(Key.wrap(key)).isLessThan(end);
	}

}
