package io.quorate.replica.comparison;

import io.quorate.clock.Timestamp;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RoundTests {

	private static final long NOW = Timestamp.hybridOfMillis(10_000);

	@Test
	void aComparisonLeavesOutWhatMayBeInTransit() {
		Round round = new Round(NOW, Timestamp.hybridOfMillis(5_000));
		assertThat(round.includes(Timestamp.ofMillis(5_000))).isTrue();
		assertThat(round.includes(Timestamp.ofMillis(5_001))).isFalse();
	}

	/* An entry that has replaced an acknowledged one after the copy began counts, too. */
	@Test
	void aCopyLeavesOutNothing() {
		assertThat(Round.ofCopy(NOW).includes(Timestamp.ofMillis(10_000))).isTrue();
		assertThat(Round.ofCopy(NOW).includes(Timestamp.ofMillis(20_000))).isTrue();
		assertThat(Round.ofCopy(NOW).instantMillis()).as("by which expiry is judged").isEqualTo(10_000);
	}

}
