package io.quorate.membership.agreement;

import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.membership.layout.ChangeRefusedException.Reason;
import io.quorate.membership.layout.ChangeRefusedException;
import io.quorate.membership.layout.LayoutCodec;
import io.quorate.membership.layout.LayoutFixture;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutVersion;
import org.junit.jupiter.api.Test;

import static io.quorate.membership.layout.LayoutFixture.member;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LayoutWishTests {

	private static final LayoutRecord STABLE = LayoutFixture.stable(3, 3);

	private static final LayoutRecord WISHED = LayoutMachine.add(STABLE, member(3), LayoutFixture.ASKED);

	private static final LayoutRecord OTHER = LayoutMachine.add(STABLE, member(4), LayoutFixture.ASKED);

	private static final Decision BEFORE = decision(7, STABLE);

	private final LayoutWish wish = LayoutWish.of(WISHED, 7, 0);

	private static Decision decision(long version, LayoutRecord content) {
		return new Decision(version, LayoutCodec.write(content));
	}

	private void assertRefused(Reason reason, String why) {
		assertThatThrownBy(() -> this.wish.outcome().join()).cause()
			.isInstanceOfSatisfying(ChangeRefusedException.class, (refused) -> {
				assertThat(refused.reason()).isEqualTo(reason);
				assertThat(refused).hasMessageContaining(why);
			});
		assertThat(this.wish.isOver(0, null)).isTrue();
	}

	@Test
	void anOperatorLearnsTheVersionThatIsDecided() {
		Decision decided = decision(8, WISHED);
		this.wish.decided(Decisions.of(BEFORE).with(decided));
		assertThat(this.wish.outcome()).isCompletedWithValue(LayoutVersion.of(decided));
	}

	@Test
	void anOperatorLearnsThatAnotherLayoutWasDecidedFirst() {
		this.wish.decided(Decisions.of(BEFORE).with(decision(8, OTHER)));
		assertRefused(Reason.OVERTAKEN, "was decided first: [n0, n1, n2], 3 copies -> [n0, n1, n2, n4]");
	}

	@Test
	void anOperatorLearnsOfAVersionThatHasBeenFollowed() {
		Decision decided = decision(8, WISHED);
		this.wish.decided(Decisions.of(BEFORE).with(decided).with(decision(9, LayoutMachine.complete(WISHED))));
		assertThat(this.wish.outcome()).isCompletedWithValue(LayoutVersion.of(decided));
	}

	/* The node was away, and the member that it met first told it the last one only. */
	@Test
	void anOperatorIsNotRefusedByANodeThatDoesNotKnow() {
		this.wish.decided(Decisions.of(BEFORE).with(decision(9, LayoutMachine.complete(WISHED))));
		assertRefused(Reason.UNDECIDED, "it is not known what became of this");
	}

	@Test
	void anOperatorWaitsForALimitedTime() {
		long limit = LayoutWish.LIMIT.toNanos();
		assertThat(this.wish.isOver(limit - 1, null)).isFalse();
		assertThat(this.wish.isOver(limit, "n2 is away")).isTrue();
		assertRefused(Reason.UNDECIDED, "it is not decided within 10 s, and may be later: n2 is away");
	}

}
