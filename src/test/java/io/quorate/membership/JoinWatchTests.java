package io.quorate.membership;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.storage.FormatLevel;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.quorate.membership.LayoutFixture.ASKED;
import static io.quorate.membership.LayoutFixture.member;
import static io.quorate.membership.LayoutFixture.stable;
import static org.assertj.core.api.Assertions.assertThat;

class JoinWatchTests {

	private static final Duration AWAY = Duration.ofMinutes(30);

	private final Layouts layouts = Layouts.of("n0", List.of("n0@host0:7100", "n1@host1:7100", "n2@host2:7100"), null);

	private final AtomicLong nanos = new AtomicLong();

	private final Membership membership = new Membership(this.layouts, this.nanos::get);

	private final MemberReports reports = MemberReportsTests.reports(this.layouts, this.membership, FormatLevel.FIRST);

	private LayoutRecord record = LayoutMachine.add(stable(3, 3), member(3), ASKED);

	/* Answers of the other members about the node that joins. */
	private final Map<String, Duration> silences = new TreeMap<>(Map.of("n1", AWAY, "n2", AWAY));

	private final List<String> asked = new ArrayList<>();

	private final JoinWatch watch = new JoinWatch(() -> this.record, this.reports,
			new Silences(this.layouts, (joiner, witness, _) -> {
				this.asked.add(witness + " of " + joiner);
				return CompletableFuture.completedFuture(Optional.ofNullable(this.silences.get(witness)));
			}), new JoinWatch.Limit(AWAY, this.nanos::get));

	@BeforeEach
	void theJoiningHasBegun() {
		this.layouts.adopt(this.layouts.of(8, this.record));
		this.membership.stateChanged("n1", MemberState.UP);
		this.membership.stateChanged("n2", MemberState.UP);
	}

	private boolean isGivenUpAfter(Duration time) {
		this.nanos.addAndGet(time.toNanos());
		this.watch.look();
		this.watch.look();
		return this.reports.facts().givenUp() == 8;
	}

	@Test
	void aJoiningIsGivenUpWhenItsNodeWasAwayAllTheTime() {
		assertThat(isGivenUpAfter(AWAY.minusNanos(1))).isFalse();
		assertThat(this.asked).as("it is too early").isEmpty();
		assertThat(isGivenUpAfter(Duration.ofNanos(1))).isTrue();
		assertThat(this.asked).containsExactly("n1 of n3", "n2 of n3");
	}

	@Test
	void aNodeThatIsHeardInBetweenBeginsTheTimeAnew() {
		assertThat(isGivenUpAfter(AWAY.minusNanos(1))).isFalse();
		this.membership.stateChanged("n3", MemberState.UP);
		this.membership.stateChanged("n3", MemberState.DISCONNECTED);
		assertThat(isGivenUpAfter(AWAY.minusNanos(1))).isFalse();
		assertThat(isGivenUpAfter(Duration.ofNanos(1))).isTrue();
		this.membership.stateChanged("n3", MemberState.UP);
		assertThat(isGivenUpAfter(Duration.ZERO)).as("it is back").isFalse();
	}

	@Test
	void aMemberThatHearsTheNodeKeepsTheJoiningUp() {
		this.silences.put("n2", AWAY.minusNanos(1));
		assertThat(isGivenUpAfter(AWAY)).isFalse();
		assertThat(isGivenUpAfter(JoinWatch.AGAIN.minusNanos(1))).isFalse();
		assertThat(this.asked).as("not each second").hasSize(2);
		this.silences.put("n2", AWAY);
		assertThat(isGivenUpAfter(Duration.ofNanos(1))).isTrue();
	}

	@Test
	void aMemberThatGivesNoAnswerCountsOnlyWhileItIsUp() {
		this.silences.remove("n2");
		assertThat(isGivenUpAfter(AWAY)).isFalse();
		this.membership.stateChanged("n2", MemberState.DISCONNECTED);
		assertThat(isGivenUpAfter(JoinWatch.AGAIN)).isTrue();
	}

	@Test
	void aMemberThatComesBackTakesTheJudgementBack() {
		this.silences.remove("n2");
		this.membership.stateChanged("n2", MemberState.DISCONNECTED);
		assertThat(isGivenUpAfter(AWAY)).isTrue();
		this.membership.stateChanged("n2", MemberState.UP);
		this.silences.put("n2", Duration.ZERO);
		assertThat(isGivenUpAfter(JoinWatch.AGAIN)).as("it hears the node").isFalse();
	}

	@Test
	void aNodeThatHearsNoMajorityJudgesNothing() {
		this.silences.clear();
		this.membership.stateChanged("n1", MemberState.DISCONNECTED);
		this.membership.stateChanged("n2", MemberState.DISCONNECTED);
		assertThat(isGivenUpAfter(AWAY)).as("it may be the one that is cut off").isFalse();
		this.silences.put("n1", AWAY);
		assertThat(isGivenUpAfter(JoinWatch.AGAIN)).isTrue();
	}

	@Test
	void noChangeButAJoiningIsGivenUp() {
		this.record = LayoutMachine.replace(stable(3, 3), "n2", member(3), true, ASKED);
		assertThat(isGivenUpAfter(AWAY)).isFalse();
		this.record = LayoutMachine.abort(LayoutMachine.add(stable(3, 3), member(3), ASKED));
		assertThat(isGivenUpAfter(AWAY)).isFalse();
		assertThat(this.asked).isEmpty();
	}

}
