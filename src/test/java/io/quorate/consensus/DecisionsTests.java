package io.quorate.consensus;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class DecisionsTests {

	private static Decision decision(long version) {
		return new Decision(version, Decree.copyOf(new byte[] { (byte) version }));
	}

	private static Decisions upTo(long last) {
		Decisions all = Decisions.of(decision(1));
		for (long version = 2; version <= last; version++) {
			all = all.with(decision(version));
		}
		return all;
	}

	@Test
	void aLearnerKeepsTheLastSixteen() {
		Decisions all = upTo(20);
		assertThat(all.kept()).extracting(Decision::version).hasSize(16).startsWith(5L).endsWith(20L);
		assertThat(all.latest()).isEqualTo(decision(20));
		assertThat(all.after(18).kept()).containsExactly(decision(19), decision(20));
		assertThat(all.after(2)).isEqualTo(all);
		assertThatIllegalArgumentException().isThrownBy(() -> all.after(20));
	}

	@Test
	void aLearnerThatHearsADecisionAgainStaysAsItIs() {
		Decisions all = upTo(20);
		assertThat(all.with(decision(20))).isSameAs(all);
		assertThat(all.with(decision(6))).isSameAs(all);
		assertThat(all.with(new Decision(3, decision(9).decree()))).as("older than those kept").isSameAs(all);
	}

	@Test
	void aLearnerThatMissedDecisionsKeepsNoneBeforeTheGap() {
		assertThat(upTo(3).with(decision(5))).isEqualTo(Decisions.of(decision(5)));
		assertThatIllegalArgumentException().isThrownBy(() -> new Decisions(List.of(decision(3), decision(5))))
			.withMessage("version 5 follows version 3");
	}

	@Test
	void aLearnerRefusesASecondContentOfAVersion() {
		assertThatExceptionOfType(ConflictingDecreeException.class)
			.isThrownBy(() -> upTo(5).with(new Decision(4, decision(9).decree())));
	}

}
