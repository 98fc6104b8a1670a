package io.quorate.api.body;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.api.problem.ProblemException;
import io.quorate.coordinator.Admission;
import io.quorate.coordinator.RefusedException;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Bodies that do not become whole. */
class BodySubscriberTests {

	private static final int MOST = 1_000_000;

	private static final Duration GRACE = Duration.ofSeconds(5);

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private final Admission admission = new Admission(100, 6L * MOST, new SimpleMeterRegistry());

	private final List<Object> ends = new ArrayList<>();

	@Test
	void aBodyThatWasFastAndThenDripsIsEndedSoon() {
		BodySubscriber body = begin(MOST);
		long begun = System.nanoTime();
		send(body, MOST - 100);
		int seconds = 0;
		while (this.ends.isEmpty()) {
			seconds++;
			send(body, 1);
			body.check(begun + seconds * SECOND);
			assertThat(seconds).isLessThan(10);
		}
		assertThat(this.ends.getFirst()).isInstanceOfSatisfying(ProblemException.class,
				(slow) -> assertThat(slow.problem().toString())
					.contains("less than 16384 bytes a second for more than 5000 ms"));
		assertThat(this.admission.bytes()).isZero();
	}

	@Test
	void bodiesThatNeverEndLeaveRoomForOthers() {
		for (int i = 0; i < 6; i++) {
			send(begin(MOST), MOST - 1);
		}
		assertThat(this.ends).hasSize(2).hasOnlyElementsOfType(RefusedException.class);
		this.ends.clear();
		for (int size : new int[] { 1000, 60_000, 100_000 }) {
			BodySubscriber other = begin(size);
			send(other, size / 2);
			send(other, size - size / 2);
			other.onComplete();
		}
		assertThat(this.ends).hasSize(3).hasOnlyElementsOfType(Body.class);
	}

	@Test
	void aClientHoldsAboutAsMuchAsItHasSent() {
		send(begin(MOST), 1);
		assertThat(this.admission.bytes()).isEqualTo(BodySubscriber.STEP_BYTES);
	}

	private BodySubscriber begin(int declared) {
		BodySubscriber[] made = new BodySubscriber[1];
		Mono.<Body>create((sink) -> {
			try {
				Admission.Permit permit = this.admission.expect(declared);
				made[0] = new BodySubscriber(sink, permit, declared, MOST, GRACE);
			}
			catch (RefusedException refused) {
				made[0] = new BodySubscriber(sink, this.admission.expect(0), declared, MOST, GRACE);
				made[0].onError(refused);
			}
		}).subscribe(this.ends::add, this.ends::add);
		Flux.<DataBuffer>never().subscribe(made[0]);
		return made[0];
	}

	private static void send(BodySubscriber body, int size) {
		body.onNext(DefaultDataBufferFactory.sharedInstance.wrap(new byte[size]));
	}

}
