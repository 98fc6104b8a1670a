package io.quorate.coordinator;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.replica.WriteReply.Applied;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OrderingReplicasTests {

	private static final Duration SOON = Duration.ofMillis(1);

	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);

	private final ScriptedSuspects suspects = new ScriptedSuspects();

	@Test
	void allReplicasAreReliedOnWhileNoneWasAway() {
		OrderingReplicas ordering = ordering();
		assertThat(ordering.includes("a")).isTrue();
		ordering.acknowledged("a", Applied.COMPLETE);
		assertThat(ordering.includes("a")).isTrue();
	}

	@Test
	void aReplicaThatReturnsIsReliedOnWhenItHasSettled() {
		OrderingReplicas ordering = ordering();
		this.suspects.suspect("a");
		assertThat(ordering.includes("a")).isFalse();
		assertThat(ordering.includes("b")).isTrue();
		this.suspects.returned("a");
		ordering.acknowledged("a", Applied.COMPLETE);
		assertThat(ordering.includes("a")).as("not settled").isFalse();
		pass(OrderingReplicas.SETTLED.minus(SOON));
		ordering.acknowledged("a", Applied.COMPLETE);
		assertThat(ordering.includes("a")).as("not settled yet").isFalse();
		pass(SOON);
		assertThat(ordering.includes("a")).as("without an ack").isFalse();
		ordering.acknowledged("b", Applied.COMPLETE);
		assertThat(ordering.includes("a")).as("the ack of another").isFalse();
		ordering.acknowledged("a", Applied.COMPLETE);
		assertThat(ordering.includes("a")).isTrue();
	}

	@Test
	void anIncompleteAckBeginsTheTimeAnew() {
		OrderingReplicas ordering = ordering();
		this.suspects.suspect("a");
		this.suspects.returned("a");
		pass(OrderingReplicas.SETTLED.minus(SOON));
		ordering.acknowledged("a", Applied.INCOMPLETE);
		pass(SOON);
		ordering.acknowledged("a", Applied.COMPLETE);
		assertThat(ordering.includes("a")).isFalse();
		pass(OrderingReplicas.SETTLED);
		ordering.acknowledged("a", Applied.COMPLETE);
		assertThat(ordering.includes("a")).isTrue();
	}

	@Test
	void aReplicaThatIsAwayAtTheStartIsNotReliedOn() {
		this.suspects.suspect("a");
		OrderingReplicas ordering = ordering();
		this.suspects.returned("a");
		assertThat(ordering.includes("a")).isFalse();
		pass(OrderingReplicas.SETTLED);
		ordering.acknowledged("a", Applied.COMPLETE);
		assertThat(ordering.includes("a")).isTrue();
	}

	private OrderingReplicas ordering() {
		return new OrderingReplicas(this.suspects, List.of(new ScriptedReplica("a"), new ScriptedReplica("b")),
				this.nanos::get);
	}

	private void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

}
