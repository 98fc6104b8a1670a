package io.quorate.entry;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ValueTests {

	@Test
	void noBytesAreAValueToo() {
		assertThat(Value.wrap(new byte[0])).isEqualTo(Value.EMPTY).isLessThan(Value.wrap(new byte[1]));
		assertThat(Value.EMPTY.size()).isZero();
	}

	@Test
	void valuesOfTheSameBytesAreEqual() {
		assertThat(Value.wrap(new byte[] { 1, 2 })).isEqualTo(Value.copyOf(new byte[] { 1, 2 }))
			.hasSameHashCodeAs(Value.wrap(new byte[] { 1, 2 }))
			.isNotEqualTo(Value.wrap(new byte[] { 1, 3 }))
			.hasToString("2 bytes");
	}

	@Test
	void aCopyIsNotChangedWithItsOriginal() {
		byte[] bytes = { 1, 2 };
		Value value = Value.copyOf(bytes);
		bytes[0] = 9;
		assertThat(value).isEqualTo(Value.wrap(new byte[] { 1, 2 }));
	}

}
