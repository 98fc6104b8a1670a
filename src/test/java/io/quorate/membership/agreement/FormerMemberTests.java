package io.quorate.membership.agreement;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Participant;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutCodec;
import io.quorate.membership.layout.LayoutFixture;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.Layouts;
import io.quorate.storage.ShareChange;
import org.junit.jupiter.api.Test;

import static io.quorate.membership.layout.LayoutFixture.member;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The directories of nodes that the last layout does not name. */
class FormerMemberTests {

	private static final List<String> CONFIGURED = List.of("n0@host0:7100", "n1@host1:7100", "n2@host2:7100");

	private static final UUID ANEW = new UUID(2, 2);

	private static final Decisions ACTIVATED = Decisions.of(decision(2, LayoutFixture.stable(3, 3)));

	private static Decision decision(long version, LayoutRecord content) {
		return new Decision(version, LayoutCodec.write(content));
	}

	/* The third member of the configuration is replaced by another one. */
	private static Decisions replaced() {
		LayoutRecord joint = LayoutMachine.replace(LayoutFixture.stable(3, 3), "n2", member(3), true,
				LayoutFixture.ASKED);
		return ACTIVATED.with(decision(3, joint)).with(decision(4, LayoutMachine.complete(joint)));
	}

	/* A node that the configuration does not name joins, and leaves again. */
	private static Decisions joinedAndLeft() {
		LayoutRecord joint = LayoutMachine.add(LayoutFixture.stable(3, 3), member(3), LayoutFixture.ASKED);
		return ACTIVATED.with(decision(3, joint)).with(decision(4, LayoutMachine.abort(joint)));
	}

	private static Layouts layouts(String self, Decisions kept, UUID storageId) {
		return layouts(self, kept, storageId, (_) -> {
		});
	}

	private static Layouts layouts(String self, Decisions kept, UUID storageId, KeyShares shares) {
		Layouts layouts = Layouts.of(self, CONFIGURED, 3, self + "@host" + self.charAt(1) + ":7100", List.of());
		LayoutAdoption adoption = new LayoutAdoption(layouts, storageId, shares, kept.kept());
		assertThat(adoption.version()).isEqualTo(LayoutVersion.of(kept.latest()));
		return layouts;
	}

	@Test
	void theDirectoryOfAMemberThatHasLeftIsNotStarted() {
		assertThatExceptionOfType(FormerMemberException.class)
			.isThrownBy(() -> layouts("n2", replaced(), member(2).storageId()));
		assertThatExceptionOfType(FormerMemberException.class)
			.isThrownBy(() -> layouts("n3", joinedAndLeft(), member(3).storageId()));
	}

	@Test
	void aDirectoryThatMayBeThatOfAMemberThatHasLeftIsNotStarted() {
		assertThatExceptionOfType(FormerMemberException.class)
			.isThrownBy(() -> layouts("n2", Decisions.of(replaced().latest()), ANEW, new Used()));
	}

	@Test
	void anEmptyDirectoryOfTheConfigurationIsThatOfACandidate() {
		Layouts layouts = layouts("n2", Decisions.of(replaced().latest()), ANEW);
		assertThat(layouts.isMember()).as("the configuration has it").isFalse();
		assertThat(layouts.hasLeft()).isFalse();
	}

	@Test
	void aCandidateWithTheIdOfAMemberThatHasLeftIsStartedAgain() {
		Layouts layouts = layouts("n3", joinedAndLeft(), ANEW);
		assertThat(layouts.isMember()).isFalse();
		assertThat(layouts.own()).hasToString("n3@host3:7100");
	}

	@Test
	void aCandidateOfTheConfigurationIsStartedAgain() {
		Layouts layouts = layouts("n2", replaced(), ANEW);
		assertThat(layouts.isMember()).isFalse();
		assertThat(layouts.own()).as("the address at which it can be added").hasToString("n2@host2:7100");
	}

	private static boolean hasLeft(String self, Decisions later, UUID storageId, KeyShares shares) throws IOException {
		Layouts layouts = Layouts.of(self, CONFIGURED, 3, self + "@host" + self.charAt(1) + ":7100", List.of());
		LayoutAdoption adoption = new LayoutAdoption(layouts, storageId, shares, ACTIVATED.kept());
		for (Decision decision : later.after(ACTIVATED.latest().version()).kept()) {
			adoption.adopt(decision);
		}
		return layouts.hasLeft();
	}

	private static boolean hasLeft(String self, Decisions later, UUID storageId) throws IOException {
		return hasLeft(self, later, storageId, (_) -> {
		});
	}

	/** The shares of a store that has held entries. */
	record Used() implements KeyShares {

		@Override
		public void assign(ShareChange change) {
		}

		@Override
		public boolean hasHeld() {
			return true;
		}

	}

	/* It is removed while it is rebuilt: no layout has named its new directory. */
	@Test
	void aMemberWithADirectoryThatIsNotNamedYetHasLeftToo() throws IOException {
		assertThat(hasLeft("n2", replaced(), ANEW, new Used())).isTrue();
		assertThat(hasLeft("n3", joinedAndLeft(), ANEW, new Used())).isTrue();
		Layouts layouts = Layouts.of("n2", CONFIGURED, 3, "n2@host2:7100", List.of());
		assertThatExceptionOfType(FormerMemberException.class).as("when it is started again")
			.isThrownBy(() -> new LayoutAdoption(layouts, ANEW, new Used(), replaced().kept()));
	}

	@Test
	void aMemberWithADirectoryThatIsNotNamedYetStaysOne() throws IOException {
		Layouts layouts = Layouts.of("n1", CONFIGURED, 3);
		new LayoutAdoption(layouts, ANEW, new Used(), replaced().kept());
		assertThat(layouts.isMember()).isTrue();
		assertThat(layouts.hasLeft()).isFalse();
	}

	@Test
	void aDirectoryThatNoLayoutHasNamedHasNotLeft() throws IOException {
		assertThat(hasLeft("n3", joinedAndLeft(), member(3).storageId())).isTrue();
		assertThat(hasLeft("n3", joinedAndLeft(), ANEW)).as("another one had its id").isFalse();
		assertThat(hasLeft("n2", replaced(), member(2).storageId())).isTrue();
		assertThat(hasLeft("n2", replaced(), ANEW)).isFalse();
	}

	/* Its id has joined and left before; it learns all of that at once, and has data. */
	@Test
	void aNodeThatLearnsOfAnEarlierOneOfItsIdHasNotLeft() {
		LayoutRecord again = LayoutMachine.add(LayoutFixture.stable(3, 3), member(3, "", 2), LayoutFixture.ASKED);
		Decisions later = joinedAndLeft().with(decision(5, again)).with(decision(6, LayoutMachine.complete(again)));
		Layouts layouts = Layouts.of("n3", CONFIGURED, 3, "n3@host3:7100", List.of());
		LayoutAgreement agreement = new LayoutAgreement(layouts,
				new Participant(member(3, "", 3).voter(), (decree) -> LayoutCodec.read(decree).electorate(),
						new MemoryLedger(AcceptorState.of(ACTIVATED))),
				() -> LayoutFixture.met(Map.of(), Map.of(), Map.of(), Map.of()), new Used(), System::nanoTime);
		List<Boolean> left = new ArrayList<>();
		layouts.follow(new LayoutFollower() {

			@Override
			public void adopted(Layout now) {
				left.add(layouts.hasLeft());
			}

		});
		agreement.learned(later.after(2));
		assertThat(agreement.adopted().version()).isEqualTo(6);
		assertThat(left).as("after version 3, 4, 5 and 6").containsExactly(false, false, false, false);
	}

}
