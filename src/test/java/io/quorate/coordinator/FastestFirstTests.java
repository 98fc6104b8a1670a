package io.quorate.coordinator;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FastestFirstTests {

	private final AtomicLong nanos = new AtomicLong();

	private final ScriptedSuspects suspects = new ScriptedSuspects();

	private final FastestFirst order = new FastestFirst("me", this.suspects, this.nanos::get);

	@Test
	void theNodeItselfComesFirstAndTheFasterBeforeTheSlower() {
		this.order.answered("a", 5_000_000);
		this.order.answered("b", 1_000_000);
		assertThat(names()).containsExactly("me", "b", "a");
	}

	@Test
	void suspectsComeLast() {
		this.order.answered("a", 5_000_000);
		this.order.answered("b", 1_000_000);
		this.suspects.suspect("me");
		this.suspects.suspect("b");
		assertThat(names().getFirst()).isEqualTo("a");
	}

	@Test
	void oneSlowAnswerDoesNotMakeASlowNode() {
		for (int i = 0; i < 20; i++) {
			this.order.answered("a", 1_000_000);
			this.order.answered("b", 2_000_000);
		}
		this.order.answered("a", 5_000_000);
		assertThat(names()).containsExactly("me", "a", "b");
	}

	@Test
	void nodeThatWasSlowOnceIsTriedAgain() {
		this.order.answered("a", 8_000_000);
		this.nanos.addAndGet(Duration.ofSeconds(4).toNanos());
		this.order.answered("b", 1_000_000);
		assertThat(names()).containsExactly("me", "a", "b");
	}

	private List<String> names() {
		return Stream.of("a", "b", "me").sorted(Comparator.comparingLong(this.order::rank)).toList();
	}

}
