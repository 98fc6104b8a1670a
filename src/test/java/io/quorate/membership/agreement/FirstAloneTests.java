package io.quorate.membership.agreement;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Participant;
import io.quorate.consensus.Request;
import io.quorate.consensus.Voter;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.GrownCluster;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutCodec;
import io.quorate.membership.layout.LayoutException;
import io.quorate.membership.layout.LayoutFixture;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberReports;
import io.quorate.membership.reports.Program;
import io.quorate.membership.reports.Upgrade;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.RecordedIdentity;
import io.quorate.storage.ShareChange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class FirstAloneTests {

	private static final String SEED = "n2@two:7100";

	@Test
	void aNewDirectoryServesNothingUntilASeedIsHeard() {
		Layouts layouts = GrownCluster.lost(SEED);
		List<String> heard = new ArrayList<>();
		layouts.follow(new LayoutFollower() {

			@Override
			public void joins(Endpoint peer) {
				heard.add("joins " + peer);
			}

			@Override
			public void adopted(Layout now) {
				heard.add(now.version() + (layouts.awaitsSeed() ? " in passing" : " is served"));
			}

		});
		assertThat(heard).containsExactly("joins " + SEED);
		assertThat(layouts.isSeed("n2")).isTrue();
		assertThat(layouts.isAlone()).isFalse();
		assertThat(layouts.isOvertaken()).isTrue();
		assertThat(layouts.fence()).isEqualTo(Long.MAX_VALUE);
		assertThat(layouts.unfit()).contains("none of quorate.cluster.seeds has shown it yet");

		GrownCluster.show(layouts, 6);
		assertThat(heard).containsExactly("joins " + SEED, "2 in passing", "3 in passing", "4 in passing",
				"joins n3@three:7100", "5 in passing", "6 is served");
		assertThat(layouts.isOvertaken()).isFalse();
		assertThat(layouts.fence()).isEqualTo(6);
		assertThat(layouts.unfit()).isNull();
		layouts.isToReach(8);
		assertThat(layouts.awaitsSeed()).as("it is not lost again").isFalse();
	}

	@Test
	void aMemberDecidesNothingWhileItAwaitsASeed() {
		Layouts layouts = GrownCluster.lost(SEED);
		Membership membership = Membership.beforeLayout(layouts);
		RecordedIdentity directory = new RecordedIdentity(new UUID(9, 9), FormatLevel.FIRST);
		directory.settle();
		MemberReports reports = new MemberReports(layouts, membership, new Upgrade(layouts, membership, directory,
				new Program("2", FormatLevel.FIRST, FormatLevel.FIRST), Runnable::run), directory);
		assertThat(reports.facts().ready()).isEmpty();
		assertThat(reports.facts().obstacleOf("n1")).contains("does not know the layout of its cluster any more");
		GrownCluster.show(layouts, 6);
		assertThat(reports.facts().ready()).containsOnlyKeys("n1");
	}

	@Test
	void onlyADirectoryThatMayBeALostOneAwaitsASeed() {
		assertThat(awaits(1, true, false, SEED)).isTrue();
		assertThat(awaits(1, true, false)).as("without seeds").isFalse();
		assertThat(awaits(1, true, false, "n1@one:7100")).as("it is no seed of itself").isFalse();
		assertThat(awaits(1, false, false, SEED)).as("it has always been alone").isFalse();
		assertThat(awaits(1, false, true, SEED)).as("it has lost the file LAYOUT").isTrue();
		assertThat(awaits(2, true, false, SEED)).as("it was killed while it learned").isTrue();
		assertThat(awaits(3, true, false, SEED)).as("it knows another member").isFalse();
		assertThat(awaits(2, false, true, SEED)).as("the others have left").isFalse();
		Layouts three = Layouts.of("n1", List.of("n0@a:1", "n1@one:7100", "n2@two:7100"), null, null, List.of(SEED));
		three.mayHaveLost(GrownCluster.known(three, 1), true, false);
		assertThat(three.awaitsSeed()).as("it has first members to ask").isFalse();
	}

	private static boolean awaits(long known, boolean isNew, boolean hasGrown, String... seeds) {
		Layouts layouts = GrownCluster.of(seeds);
		layouts.mayHaveLost(GrownCluster.known(layouts, known), isNew, hasGrown);
		return layouts.awaitsSeed();
	}

	@Test
	void aNodeLearnsAllLayoutsBeforeItServesByOne() {
		Layouts layouts = GrownCluster.lost(SEED);
		LayoutAgreement agreement = agreement(layouts, LayoutAgreement.first(layouts));
		List<Boolean> awaits = new ArrayList<>();
		layouts.follow(new LayoutFollower() {

			@Override
			public void adopted(Layout now) {
				awaits.add(layouts.awaitsSeed());
			}

		});
		agreement.learned(GrownCluster.all(layouts));
		assertThat(agreement.adopted().version()).isEqualTo(6);
		assertThat(awaits).containsExactly(true, true, true, true, false);
	}

	/* A member sends its last decision when a request was planned by it. */
	@Test
	void aDecisionThatASeedSendsUnaskedEndsTheWait() throws Exception {
		Layouts layouts = GrownCluster.lost(SEED);
		LayoutAgreement agreement = agreement(layouts, LayoutAgreement.first(layouts));
		agreement.answer(new Request.Learn(GrownCluster.known(layouts, 6)));
		assertThat(agreement.adopted().version()).isEqualTo(6);
		assertThat(layouts.awaitsSeed()).isFalse();
	}

	@Test
	void aNodeWasAloneBeforeTheChangeThatEndsIt() {
		Layouts layouts = GrownCluster.of();
		assertThat(layouts.wasAloneBefore()).as("alone").isFalse();
		GrownCluster.show(layouts, 3);
		assertThat(layouts.wasAloneBefore()).isTrue();
		GrownCluster.show(layouts, 4);
		assertThat(layouts.wasAloneBefore()).as("of two").isFalse();
		GrownCluster.show(layouts, 5);
		assertThat(layouts.wasAloneBefore()).as("of two before").isFalse();
	}

	private static LayoutAgreement agreement(Layouts layouts, AcceptorState state) {
		KeyShares shares = (ShareChange _) -> {
		};
		return new LayoutAgreement(layouts,
				new Participant(new Voter("n1", new UUID(9, 9)), (decree) -> LayoutCodec.read(decree).electorate(),
						new MemoryLedger(state)),
				() -> LayoutFixture.met(Map.of(), Map.of(), Map.of(), Map.of()), shares, System::nanoTime);
	}

	@Test
	void aMajorityIsThatOfTheLayoutWhichIsRead() {
		Layouts layouts = GrownCluster.of();
		Membership membership = Membership.beforeLayout(layouts);
		assertThat(membership.hasMetMajority()).as("its cluster may have grown").isFalse();
		GrownCluster.show(layouts, 6);
		membership.layoutRead();
		assertThat(membership.hasMetMajority()).isFalse();
		membership.met("n3");
		assertThat(membership.hasMetMajority()).isTrue();

		Membership alone = Membership.beforeLayout(GrownCluster.of());
		alone.layoutRead();
		assertThat(alone.hasMetMajority()).isTrue();
	}

	@Test
	void aSeedThatIsMetMakesNoMajority() {
		Layouts layouts = GrownCluster.lost(SEED);
		Membership membership = Membership.beforeLayout(layouts);
		membership.layoutRead();
		membership.met("n2");
		assertThat(membership.hasMetMajority()).isFalse();
		GrownCluster.show(layouts, 6);
		assertThat(membership.hasMetMajority()).as("n2 was no member then").isFalse();
		membership.met("n2");
		assertThat(membership.hasMetMajority()).isTrue();
	}

	@Test
	void aNodeThatHasGrownBecomesNotAloneAndStaysReady() {
		Layouts layouts = GrownCluster.of();
		Membership membership = Membership.beforeLayout(layouts);
		membership.layoutRead();
		GrownCluster.show(layouts, 4);
		assertThat(layouts.isAlone()).isFalse();
		assertThat(membership.hasMetMajority()).isTrue();
	}

	@Test
	void aStrangerWithALaterLayoutEndsTheService() {
		Layouts layouts = GrownCluster.of();
		GrownCluster.show(layouts, 2);
		assertThat(layouts.overtakenBy("n2", new LayoutVersion(2, 7))).as("as late").isNull();
		assertThat(layouts.isOvertaken()).isFalse();
		assertThat(layouts.overtakenBy("n2", new LayoutVersion(6, 7))).contains("'n2' has adopted version 6");
		assertThat(layouts.isOvertaken()).isTrue();
		assertThat(layouts.fence()).isEqualTo(6);
		assertThat(layouts.unfit()).contains("quorate.cluster.seeds");
		assertThat(layouts.overtakenBy("n3", new LayoutVersion(6, 7))).as("is reported once").isNull();
		GrownCluster.show(layouts, 6);
		assertThat(layouts.unfit()).as("it was about to adopt it").isNull();
	}

	/* It is about to join, and has adopted the layout first. */
	@Test
	void aStrangerDoesNotDisturbANodeWithAnotherMember() {
		Layouts layouts = GrownCluster.of();
		GrownCluster.show(layouts, 4);
		assertThat(layouts.overtakenBy("n3", new LayoutVersion(5, 7))).isNull();
		assertThat(layouts.isOvertaken()).isFalse();
	}

	@Test
	void aStrangerDoesNotDisturbANodeWithFirstMembers() {
		Layouts layouts = Layouts.of("n1", List.of("n0@a:1", "n1@one:7100", "n2@c:3"), null);
		assertThat(layouts.overtakenBy("n9", new LayoutVersion(6, 7))).isNull();
		assertThat(layouts.isOvertaken()).isFalse();
		Layouts awaits = GrownCluster.lost(SEED);
		assertThat(awaits.overtakenBy("n3", new LayoutVersion(6, 7))).as("it serves nothing yet").isNull();
	}

	@Test
	void aNodeWithoutAnAddressIsNoMemberOfAGrownCluster() {
		Layouts layouts = Layouts.of("n1", List.of(), null);
		assertThatCode(() -> FirstAlone.check(layouts, 0)).doesNotThrowAnyException();
		GrownCluster.show(layouts, 2);
		assertThatCode(() -> FirstAlone.check(layouts, 0)).doesNotThrowAnyException();
		GrownCluster.show(layouts, 4);
		assertThatExceptionOfType(LayoutException.class).isThrownBy(() -> FirstAlone.check(layouts, 4))
			.withMessageContaining("has the members [n1, n2]: set quorate.cluster.members to the address of this node");
	}

	@Test
	void aNodeThatHasLostTheLayoutNeedsASeed() {
		assertThatExceptionOfType(LayoutException.class).isThrownBy(() -> FirstAlone.check(GrownCluster.of(), 5))
			.withMessageContaining("(version 5 of the layout)")
			.withMessageContaining("set quorate.cluster.seeds");
		Layouts awaits = GrownCluster.of(SEED);
		awaits.mayHaveLost(GrownCluster.known(awaits, 1), false, true);
		assertThatCode(() -> FirstAlone.check(awaits, 5)).doesNotThrowAnyException();
	}

	@Test
	void aNodeThatNoSeedProtectsSaysSoOnce(CapturedOutput output) {
		Layouts layouts = GrownCluster.of();
		layouts.follow(new FirstAlone(layouts));
		assertThat(output).doesNotContain("quorate.cluster.seeds");
		GrownCluster.show(layouts, 6);
		assertThat(output).containsOnlyOnce("set quorate.cluster.seeds=n2@two:7100,");
	}

	@Test
	void aNodeThatASeedProtectsSaysNothing(CapturedOutput output) {
		Layouts layouts = GrownCluster.of(SEED);
		GrownCluster.show(layouts, 6);
		layouts.follow(new FirstAlone(layouts));
		assertThat(output).doesNotContain("quorate.cluster.seeds");
	}

}
