package io.quorate.storage.sstable;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class ResidentPagesTests {

	private final Set<Integer> inMemory = new TreeSet<>();

	private final List<Integer> asked = new ArrayList<>();

	private long nanos = TimeUnit.SECONDS.toNanos(1);

	private final ResidentPages pages = new ResidentPages(8, (page) -> {
		this.asked.add(page);
		return this.inMemory.contains(page);
	}, () -> this.nanos);

	@Test
	void aPageThatWasThereIsBelievedForAMoment() {
		this.inMemory.add(3);
		assertThat(this.pages.contains(3)).isTrue();
		this.inMemory.clear();
		passMillis(ResidentPages.LEAST_MILLIS - 1);
		assertThat(this.pages.contains(3)).isTrue();
		assertThat(this.asked).containsExactly(3);
		passMillis(1);
		assertThat(this.pages.contains(3)).isFalse();
		assertThat(this.asked).containsExactly(3, 3);
	}

	@Test
	void aBeliefIsNotProlongedByThoseWhoHoldIt() {
		this.inMemory.add(3);
		for (int millis = 0; millis < 10 * ResidentPages.LEAST_MILLIS; millis++) {
			assertThat(this.pages.contains(3)).isTrue();
			passMillis(1);
		}
		assertThat(this.asked).hasSize(10);
	}

	@Test
	void pagesAreBelievedForLongerWhileTheyAreFoundToBeThere() {
		this.inMemory.addAll(Set.of(3, 5));
		assertThat(this.pages.contains(3)).isTrue();
		assertThat(this.pages.contains(5)).isTrue();
		int growing = ResidentPages.MOST_MILLIS - ResidentPages.LEAST_MILLIS;
		for (int i = 0; i < growing; i++) {
			requireBelief(3, ResidentPages.LEAST_MILLIS + i);
		}
		requireBelief(3, ResidentPages.MOST_MILLIS);
		requireBelief(3, ResidentPages.MOST_MILLIS);
		this.inMemory.remove(5);
		assertThat(this.pages.contains(5)).isFalse();
		requireBelief(3, ResidentPages.LEAST_MILLIS);
		assertThat(this.pages.contains(5)).as("was not there before").isFalse();
		requireBelief(3, ResidentPages.LEAST_MILLIS + 1);
	}

	@Test
	void aPastResidencyIsKnownWithoutAskingTheKernel() {
		assertThat(this.pages.wasThere(3)).isFalse();
		this.inMemory.add(3);
		assertThat(this.pages.wasThere(3)).isFalse();
		assertThat(this.pages.contains(3)).isTrue();
		this.inMemory.clear();
		passMillis(2 * ResidentPages.MOST_MILLIS);
		assertThat(this.pages.wasThere(3)).as("as far as is known").isTrue();
		assertThat(this.asked).containsExactly(3);
		assertThat(this.pages.contains(3)).isFalse();
		assertThat(this.pages.wasThere(3)).isFalse();
		assertThat(this.asked).containsExactly(3, 3);
	}

	@Test
	void aPageThatWasNotThereIsAskedForEachTime() {
		assertThat(this.pages.contains(5)).isFalse();
		this.inMemory.add(5);
		assertThat(this.pages.contains(5)).isTrue();
		assertThat(this.pages.contains(4)).isFalse();
		assertThat(this.asked).containsExactly(5, 5, 4);
	}

	/* The clock may begin anywhere, and goes over the end of what is kept of it. */
	@ParameterizedTest
	@ValueSource(longs = { 0, 1, Long.MIN_VALUE, -1, 1L << 51, ((1L << 31) - 10) * 1_000_000 })
	void nothingIsBelievedThatWasNeverSeen(long begin) {
		this.nanos = begin;
		for (int millis = 0; millis < 200; millis++) {
			assertThat(this.pages.contains(7)).isFalse();
			passMillis(1);
		}
		this.inMemory.add(7);
		assertThat(this.pages.contains(7)).isTrue();
		this.inMemory.clear();
		passMillis(ResidentPages.LEAST_MILLIS + 1);
		assertThat(this.pages.contains(7)).isFalse();
	}

	/** Of a page that was asked for just now; it is again in the end. */
	private void requireBelief(int page, int millis) {
		int before = this.asked.size();
		passMillis(millis - 1);
		assertThat(this.pages.contains(page)).isTrue();
		assertThat(this.asked).hasSize(before);
		passMillis(1);
		assertThat(this.pages.contains(page)).isTrue();
		assertThat(this.asked).hasSize(before + 1);
	}

	@Test
	void aPageThatWasSeenBeforeTheClockWentOverItsEndIsAskedForAgain() {
		this.nanos = ((1L << 31) - 5) * 1_000_000;
		this.inMemory.add(7);
		assertThat(this.pages.contains(7)).isTrue();
		this.inMemory.clear();
		passMillis(10);
		assertThat(this.pages.contains(7)).isFalse();
	}

	private void passMillis(int millis) {
		this.nanos += TimeUnit.MILLISECONDS.toNanos(millis);
	}

}
