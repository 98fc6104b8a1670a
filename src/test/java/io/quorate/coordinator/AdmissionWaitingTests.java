package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.coordinator.Admission.Permit;
import io.quorate.coordinator.RefusedException.Why;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Requests that wait for their clients. */
class AdmissionWaitingTests {

	private static final long LARGE = 10 * Admission.SMALL_BYTES;

	private final Admission admission = new Admission(1000, 4 * LARGE, new SimpleMeterRegistry());

	private final List<Permit> open = new ArrayList<>();

	@AfterEach
	void everythingIsGivenBack() {
		this.open.forEach(Permit::close);
		assertThat(this.admission.bytes()).isZero();
		for (int i = 0; i < 3; i++) {
			arriving(LARGE);
		}
		this.open.forEach(Permit::close);
	}

	@Test
	void bodiesThatAreNotWholeLeaveTheLastQuarter() {
		for (int i = 0; i < 3; i++) {
			arriving(LARGE);
		}
		assertRefused(() -> this.admission.expect(Admission.SMALL_BYTES + 1));
		Permit undeclared = this.admission.expect(0);
		undeclared.arrive(Admission.SMALL_BYTES, false);
		assertRefused(() -> undeclared.arrive(1, false));
		undeclared.arrive(1, true);
		undeclared.close();
		this.admission.admit(LARGE).close();
		this.open.removeLast().close();
		arriving(LARGE);
	}

	@Test
	void aBodyThatIsWholeWaitsNoLonger() {
		for (int i = 0; i < 4; i++) {
			arriving(LARGE).begin();
		}
		assertThat(this.admission.requests()).isEqualTo(4);
	}

	@Test
	void answersThatClientsDoNotTakeLeaveTheLastQuarter() {
		for (int i = 0; i < 3; i++) {
			admitted(LARGE).awaitClient();
		}
		Permit late = admitted(LARGE);
		assertRefused(late::awaitClient);
		assertThat(late.tryHold(LARGE - 1)).as("it goes on as it was").isTrue();
		assertThat(late.tryHold(Admission.SMALL_BYTES)).isTrue();
		late.awaitClient();
		assertThat(late.tryHold(Admission.SMALL_BYTES + 1)).isFalse();
		this.open.removeFirst().close();
		assertThat(late.tryHold(LARGE)).isTrue();
	}

	@Test
	void oneRequestAloneMayHaveMore() {
		arriving(4 * LARGE - 1);
		assertRefused(() -> this.admission.expect(Admission.SMALL_BYTES + 1));
	}

	private Permit arriving(long sizeBytes) {
		Permit permit = this.admission.expect(sizeBytes);
		this.open.add(permit);
		permit.arrive(sizeBytes, false);
		return permit;
	}

	private Permit admitted(long sizeBytes) {
		Permit permit = this.admission.admit(sizeBytes);
		this.open.add(permit);
		return permit;
	}

	private static void assertRefused(Runnable attempt) {
		RefusedException refused = catchThrowableOfType(RefusedException.class, attempt::run);
		assertThat(refused.why()).isEqualTo(Why.BYTES);
	}

}
