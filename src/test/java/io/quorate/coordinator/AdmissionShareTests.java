package io.quorate.coordinator;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.coordinator.Admission.Permit;
import io.quorate.coordinator.RefusedException.Why;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class AdmissionShareTests {

	private final Admission whole = new Admission(10, 1000, new SimpleMeterRegistry());

	private final Admission half = this.whole.share(0.5);

	@Test
	void aShareIsABoundOnRequestsAndOnBytes() {
		Permit[] held = new Permit[5];
		for (int i = 0; i < held.length; i++) {
			held[i] = this.half.admit(0);
		}
		assertThat(why(() -> this.half.admit(0))).isEqualTo(Why.SHARE);
		assertThat(why(() -> this.half.expect(0))).isEqualTo(Why.SHARE);
		this.whole.admit(0).close();
		held[0].close();
		assertThat(why(() -> this.half.admit(501))).isEqualTo(Why.SHARE);
		this.half.admit(500).close();
	}

	@Test
	void bothBoundsAreReleasedOnceHoweverARequestEnds() {
		Permit closedTwice = this.half.admit(400);
		closedTwice.close();
		closedTwice.close();
		assertThat(why(() -> this.half.admit(600))).isEqualTo(Why.SHARE);
		Permit others = this.whole.admit(700);
		assertThat(why(() -> this.half.admit(400))).as("the share has room, the node has none").isEqualTo(Why.BYTES);
		others.close();
		assertThat(this.whole.requests()).isZero();
		assertThat(this.whole.bytes()).isZero();
		for (int i = 0; i < 5; i++) {
			this.half.admit(100);
		}
		assertThat(this.whole.requests()).isEqualTo(5);
		assertThat(this.whole.bytes()).isEqualTo(500);
	}

	@Test
	void requestsInFlightGoOnCountingWhenTheShareChanges() {
		Permit first = this.half.admit(300);
		Permit second = this.half.admit(100);
		this.half.limit(0.2);
		assertThat(why(() -> this.half.admit(0))).isEqualTo(Why.SHARE);
		first.close();
		this.half.admit(100).close();
		assertThat(why(() -> this.half.admit(101))).isEqualTo(Why.SHARE);
		this.half.limit(0.5);
		this.half.admit(400).close();
		second.close();
		assertThat(this.whole.requests()).isZero();
		assertThat(this.whole.bytes()).isZero();
	}

	private static Why why(ThrowingCallable request) {
		RefusedException refused = catchThrowableOfType(RefusedException.class, request);
		assertThat(refused).isNotNull();
		return refused.why();
	}

}
