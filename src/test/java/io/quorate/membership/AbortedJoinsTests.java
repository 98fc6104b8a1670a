package io.quorate.membership;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.consensus.Decision;
import io.quorate.membership.LayoutMachine.Asked;
import org.junit.jupiter.api.Test;

import static io.quorate.membership.LayoutFixture.member;
import static io.quorate.membership.LayoutFixture.stable;
import static org.assertj.core.api.Assertions.assertThat;

class AbortedJoinsTests {

	private static final Layout ANY = Layouts.of("n0", List.of(), null).current();

	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);

	private List<Decision> kept = aborted(0);

	private final AbortedJoins aborted = new AbortedJoins(() -> this.kept, this.nanos::get);

	/** Decisions of a cluster of which the joining of n3 was aborted so many times. */
	static List<Decision> aborted(int times) {
		List<Decision> kept = new ArrayList<>(List.of(decision(2, stable(3, 3))));
		for (int i = 0; i < times; i++) {
			end(kept, false);
		}
		return kept;
	}

	private static Decision decision(long version, LayoutRecord content) {
		return new Decision(version, LayoutCodec.write(content));
	}

	private static void end(List<Decision> kept, boolean isComplete) {
		long version = kept.getLast().version();
		LayoutRecord joint = LayoutMachine.add(stable(3, 3), member(3), new Asked(version, "the node itself", 1));
		kept.add(decision(version + 1, joint));
		kept.add(decision(version + 2, isComplete ? LayoutMachine.complete(joint) : LayoutMachine.abort(joint)));
	}

	private void adopt(List<Decision> later) {
		this.kept = later;
		this.aborted.adopted(ANY);
	}

	private void passes(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

	private void requirePause(Duration pause) {
		assertThat(this.aborted.pauseOf("n3")).isEqualTo(pause);
		passes(pause.minusNanos(1));
		assertThat(this.aborted.pauseOf("n3")).isEqualTo(Duration.ofNanos(1));
		passes(Duration.ofNanos(1));
		assertThat(this.aborted.pauseOf("n3")).isZero();
	}

	@Test
	void thePauseGrowsWithEachAbortUpToABound() {
		assertThat(this.aborted.pauseOf("n3")).isZero();
		for (int minutes : new int[] { 5, 10, 20, 40, 60, 60 }) {
			List<Decision> later = new ArrayList<>(this.kept);
			end(later, false);
			adopt(later);
			requirePause(Duration.ofMinutes(minutes));
			assertThat(this.aborted.pauseOf("n4")).isZero();
		}
	}

	@Test
	void anotherLayoutDoesNotBeginThePauseAnew() {
		adopt(aborted(2));
		passes(Duration.ofMinutes(4));
		adopt(this.kept);
		requirePause(Duration.ofMinutes(6));
	}

	@Test
	void aNodeThatHasJoinedMeanwhileIsNotHeldBack() {
		List<Decision> joined = aborted(3);
		end(joined, true);
		adopt(joined);
		assertThat(this.aborted.pauseOf("n3")).isZero();
	}

	@Test
	void aJoiningUnderWayIsNotAborted() {
		List<Decision> joins = aborted(1);
		joins.removeLast();
		adopt(joins);
		assertThat(this.aborted.pauseOf("n3")).isZero();
	}

	@Test
	void aMemberThatIsStartedAgainBeginsThePauseAnew() {
		this.kept = aborted(2);
		passes(Duration.ofDays(1));
		AbortedJoins again = new AbortedJoins(() -> this.kept, this.nanos::get);
		assertThat(again.pauseOf("n3")).isEqualTo(Duration.ofMinutes(10));
	}

}
