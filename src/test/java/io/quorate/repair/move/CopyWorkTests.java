package io.quorate.repair.move;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.Moved;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class CopyWorkTests {

	private static final Layout GROWS = joint(ring(3, 3), ring(4, 3));

	/* Of n3 when it joins: all sources have all that it gains. */
	private static final int GAINED = GROWS.rings().gained("n3");

	private static Ring ring(int members, int factor) {
		return Ring.of(IntStream.range(0, members).mapToObj((i) -> Member.of("n" + i)).toList(), factor);
	}

	private static Layout joint(Ring before, Ring after) {
		return new Layout(3, List.of(), new RingPair(before, after), Set.of());
	}

	private static CopyWork work(Layout layout, String self) {
		return CopyWork.of(layout, self, MoveSources.of(layout, self));
	}

	private static int expected(int entries) {
		return (int) ((long) entries * GAINED / Ring.PARTITIONS);
	}

	@Test
	void theFirstSourceBringsMostAndTheOthersAreCompared() {
		CopyWork work = work(GROWS, "n3");
		assertThat(work.progress()).isEqualTo(new Moved(3, 0, 0, 0));
		work.begins("n0", 100_000);
		work.received(1000);
		assertThat(work.progress().expectedBytes()).as("nothing is known yet").isZero();
		work.passed(expected(100_000) / 2);
		assertThat(work.progress().expectedBytes()).as("all comes from the first").isBetween(1990L, 2010L);
		assertThat(work.progress().share()).as("half of 4 + 1 of 4 + 3").isBetween(0.357, 0.3572);
		work.passed(expected(100_000));
		assertThat(work.progress().share()).as("there was more than expected").isBetween(0.714, 0.7143);
		work.ends("n0");
		assertThat(work.progress().share()).isBetween(0.714, 0.7143);
		assertThat(work.progress().expectedBytes()).isEqualTo(1000);
		work.begins("n1", 100_000);
		work.passed(expected(100_000) / 2);
		assertThat(work.progress().share()).isBetween(0.785, 0.7858);
		work.ends("n1");
		work.begins("n2", 0);
		work.passed(17);
		assertThat(work.progress().share()).as("it is not known how much there is").isBetween(0.857, 0.8572);
		work.ends("n2");
		assertThat(work.progress()).as("nothing is whole before it is reported")
			.isEqualTo(new Moved(3, 999_999, 1000, 1000));
		work.completes();
		assertThat(work.progress()).isEqualTo(new Moved(3, Moved.ALL, 1000, 1000));
	}

	@Test
	void aCopyThatBeginsAgainIsNotCountedTwice() {
		CopyWork work = work(GROWS, "n3");
		work.begins("n0", 100_000);
		work.begun();
		work.passed(expected(100_000) / 2);
		work.received(700);
		work.begun();
		assertThat(work.progress()).isEqualTo(new Moved(3, 0, 700, 0));
		work.passed(expected(100_000) / 2);
		work.begins("n0", 100_000);
		assertThat(work.progress()).isEqualTo(new Moved(3, 0, 700, 0));
	}

	@Test
	void aNodeThatGainsComparesAlsoWhatItHas() {
		Layout shrinks = joint(ring(4, 3), ring(3, 3));
		CopyWork work = work(shrinks, "n0");
		double part = 0;
		for (String source : MoveSources.of(shrinks, "n0")) {
			work.begins(source, 1000);
			work.passed(1000);
			work.ends(source);
			double now = work.progress().share();
			assertThat(now).isGreaterThan(part);
			part = now;
		}
		assertThat(part).isGreaterThan(0.9999);
	}

	@Test
	void aNodeWithoutSourcesIsDoneAtOnce() {
		CopyWork work = work(GROWS, "n1");
		assertThat(work.progress()).isEqualTo(new Moved(3, 0, 0, 0));
		work.completes();
		assertThat(work.progress()).isEqualTo(new Moved(3, Moved.ALL, 0, 0));
		assertThatIllegalArgumentException().isThrownBy(() -> work.begins("n0", 1));
	}

}
