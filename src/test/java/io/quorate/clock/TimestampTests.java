package io.quorate.clock;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TimestampTests {

	@Test
	void timeComesBeforeTheNode() {
		assertThat(new Timestamp(2, 1)).isGreaterThan(new Timestamp(1, 2));
		assertThat(new Timestamp(1, 2)).isGreaterThan(new Timestamp(1, 1));
		assertThat(new Timestamp(1, 1)).isEqualByComparingTo(new Timestamp(1, 1));
		assertThat(new Timestamp(1, 2).isAfter(new Timestamp(1, 2))).isFalse();
	}

	@Test
	void bothAreComparedAsUnsignedNumbers() {
		assertThat(new Timestamp(-1, 0)).isGreaterThan(new Timestamp(Long.MAX_VALUE, 0));
		assertThat(new Timestamp(1, -1)).isGreaterThan(new Timestamp(1, Integer.MAX_VALUE));
	}

	@Test
	void millisecondsAreTheUpperBits() {
		Timestamp timestamp = new Timestamp(Timestamp.hybridOfMillis(1_800_000_000_123L) + 0xffff, 1);
		assertThat(timestamp.millis()).isEqualTo(1_800_000_000_123L);
		assertThat(Timestamp.ofMillis(1_800_000_000_124L)).isGreaterThan(timestamp);
	}

	@Test
	void theTextIsHexadecimalAndOfOneLength() {
		assertThat(new Timestamp(0x1a2b3c4d5e6f0001L, 0xfe)).hasToString("1a2b3c4d5e6f0001-000000fe");
		assertThat(Timestamp.ZERO).hasToString("0000000000000000-00000000");
	}

}
