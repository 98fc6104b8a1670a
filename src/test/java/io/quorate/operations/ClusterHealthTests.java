package io.quorate.operations;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.clock.SkewJudge;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberEncryption;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberReports;
import io.quorate.membership.reports.Upgrade;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

class ClusterHealthTests {

	private final Layouts layouts = mock(Layouts.class);

	private final Membership membership = mock(Membership.class);

	private final MemberReports reports = reports(this.membership);

	private final AtomicLong ownMillis = new AtomicLong(1_000_000);

	private final SkewJudge judge = new SkewJudge(this.ownMillis::get, () -> 0, Duration.ofSeconds(60));

	private final Upgrade upgrade = mock(Upgrade.class);

	private final MemberEncryption encryption = mock(MemberEncryption.class);

	private final ClusterHealth health = new ClusterHealth(this.layouts, this.reports, this.upgrade, this.judge,
			this.ownMillis::get, this.encryption);

	private static MemberReports reports(Membership membership) {
		MemberReports reports = mock(MemberReports.class);
		given(reports.membership()).willReturn(membership);
		return reports;
	}

	@BeforeEach
	void optionalEncryption() {
		given(this.layouts.isMember()).willReturn(true);
		given(this.layouts.current()).willReturn(new Layout(1, List.of(), Ring.of(List.of(Member.of("n1")), 1)));
		given(this.encryption.mode()).willReturn("optional");
		given(this.encryption.membersInPlain()).willReturn(new TreeSet<>(Set.of("n2")));
	}

	@Test
	void namesTheMembersWithoutEncryption() {
		assertThat(this.health.health().getDetails()).containsEntry("encryption",
				Map.of("mode", "optional", "plain", Set.of("n2")));
	}

	@Test
	void isDownUntilAMajorityHasBeenMet() {
		assertThat(this.health.health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(this.health.health().getDetails()).containsEntry("reason",
				"this node has not met a majority of the members since it started");
		assertThat(this.health.isReady()).isFalse();
		given(this.membership.hasMetMajority()).willReturn(true);
		assertThat(this.health.health().getStatus()).isEqualTo(Status.UP);
		assertThat(this.health.isReady()).isTrue();
	}

	@Test
	void saysThatThisNodeHasYetToAdoptALaterLayout() {
		given(this.reports.ahead()).willReturn(List.of("n2", "n3"));
		given(this.layouts.current()).willReturn(new Layout(7, List.of(), Ring.of(List.of(Member.of("n1")), 1)));
		assertThat(this.health.health().getDetails()).containsEntry("reason",
				"this node has version 7 of the layout, and has yet to adopt the later one that n2, n3 reported: blockedBy in /actuator/cluster says more");
	}

	@Test
	void isDownWhileThisNodeIsNoMember() {
		given(this.membership.hasMetMajority()).willReturn(true);
		given(this.layouts.isMember()).willReturn(false);
		assertThat(this.health.isReady()).isFalse();
		assertThat(this.health.health().getDetails()).containsEntry("reason",
				"this node is no member of the cluster: it has not joined yet");
		given(this.layouts.hasLeft()).willReturn(true);
		assertThat(this.health.health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(this.health.health().getDetails()).containsEntry("reason",
				"this node has left the cluster: it serves no keys, and can be stopped");
	}

	@Test
	void isDownWhileMembersHaveALayoutThatItMustNotAdopt() {
		given(this.membership.hasMetMajority()).willReturn(true);
		given(this.layouts.isOvertaken()).willReturn(true);
		assertThat(this.health.isReady()).isFalse();
		assertThat(String.valueOf(this.health.health().getDetails().get("reason")))
			.contains("members have a later layout");
	}

	@Test
	void isDownWhileAnotherProcessIsThisMember() {
		given(this.membership.hasMetMajority()).willReturn(true);
		assertThat(this.health.isReady()).isTrue();
		given(this.reports.displaced()).willReturn("two processes are n0: a:1 and b:1");
		assertThat(this.health.isReady()).isFalse();
		assertThat(this.health.health().getDetails()).containsEntry("reason", "two processes are n0: a:1 and b:1");
	}

	@Test
	void isUpAndSaysThatTwoProcessesAreAnotherMember() {
		given(this.membership.hasMetMajority()).willReturn(true);
		given(this.reports.conflicts()).willReturn(List.of("two processes are n1: a:1 and b:1"));
		assertThat(this.health.isReady()).isTrue();
		assertThat(this.health.health().getDetails()).containsEntry("conflicts",
				List.of("two processes are n1: a:1 and b:1"));
		assertThat(this.health.conflicts()).containsExactly("two processes are n1: a:1 and b:1");
	}

	@Test
	void namesThePeersThatAreRefusedAndWhy() {
		given(this.upgrade.refusals()).willReturn(Map.of("n2", "protocol versions: 5 there, 6-7 here"));
		assertThat(this.health.health().getDetails()).containsEntry("refused",
				Map.of("n2", "protocol versions: 5 there, 6-7 here"));
	}

	@Test
	void isDownWhileTheOwnClockIsFarAhead() {
		given(this.membership.hasMetMajority()).willReturn(true);
		this.judge.heard("n1", 1_000_000);
		this.judge.heard("n2", 1_000_000);
		this.ownMillis.set(1_060_001);
		assertThat(this.health.health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(this.health.health().getDetails()).containsEntry("clockBelieved", false)
			.containsEntry("clockOffsetMillis", 60_001L)
			.hasEntrySatisfying("reason", (reason) -> assertThat(reason).asString().contains("clock.max-skew"));
		this.ownMillis.set(1_060_000);
		assertThat(this.health.health().getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void namesAJoinerThatIsNotHeardAndTheCommandThatGivesItUp() {
		Ring before = Ring.of(List.of(Member.of("n1")), 1);
		given(this.layouts.current()).willReturn(new Layout(7, List.of(),
				new RingPair(before, Ring.of(List.of(Member.of("n1"), Member.of("n2")), 1)), Set.of()));
		given(this.membership.stateOf("n2")).willReturn(MemberState.DISCONNECTED);
		assertThat(this.health.health().getDetails()).containsEntry("unheardJoiners",
				List.of("n2 is not heard: if it will not come back, give its joining up (quorate cluster abort)"));
		given(this.membership.stateOf("n2")).willReturn(MemberState.UP);
		assertThat(this.health.health().getDetails()).containsEntry("unheardJoiners", List.of());
	}

	@Test
	void tellsTheStateOfEachMemberAndIsUpWithoutThem() {
		given(this.membership.hasMetMajority()).willReturn(true);
		given(this.membership.states()).willReturn(Map.of("n1", MemberState.DISCONNECTED));
		assertThat(this.health.health().getStatus()).isEqualTo(Status.UP);
		assertThat(this.health.health().getDetails()).containsEntry("members", Map.of("n1", "disconnected"));
	}

}
