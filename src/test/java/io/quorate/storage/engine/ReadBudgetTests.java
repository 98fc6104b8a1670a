package io.quorate.storage.engine;

import io.quorate.storage.StorageOverloadedException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ReadBudgetTests {

	private final ReadBudget budget = new ReadBudget(100);

	@Test
	void readsTakeUpToTheLimitAndNoMore() {
		ReadBudget.Taken first = this.budget.nothing();
		first.take(60);
		ReadBudget.Taken second = this.budget.nothing();
		second.take(40);
		assertThatExceptionOfType(StorageOverloadedException.class).isThrownBy(() -> second.take(1))
			.withMessage("bytes of values being read at the limit of 100");
		assertThat(this.budget.bytes()).isEqualTo(100);
		second.release();
		second.release();
		assertThat(this.budget.bytes()).isEqualTo(60);
		first.take(40);
	}

	@Test
	void aValueAboveTheLimitIsReadAlone() {
		ReadBudget.Taken large = this.budget.nothing();
		large.take(1000);
		assertThatExceptionOfType(StorageOverloadedException.class).isThrownBy(() -> this.budget.nothing().take(1));
		large.release();
		assertThat(this.budget.bytes()).isZero();
	}

}
