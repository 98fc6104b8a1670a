package io.quorate.internode.wiring;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import io.quorate.clock.SkewJudge;
import io.quorate.clock.TrueTime;
import io.quorate.internode.IdleExchanges;
import io.quorate.internode.context.PeerListener;
import io.quorate.membership.exchange.InitialContacts;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberReports;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

class InitialContactsTests {

	private final InitialContacts meetings = new InitialContacts(List.of("n1", "n2"));

	@Test
	void aNodeAloneMeetsNobody() {
		assertThat(new InitialContacts(List.of()).areOver()).isTrue();
	}

	@Test
	void theyAreOverWhenEachPeerWasMetOrCouldNotBe() {
		Layouts layouts = new Layouts("n0",
				new Layout(Layout.FIRST, List.of(), Ring.of(Stream.of("n0", "n1", "n2").map(Member::of).toList(), 3)));
		Membership membership = new Membership(layouts);
		PeerListener news = new MembershipUpdater(membership, mock(MemberReports.class),
				new SkewJudge(() -> 0, System::nanoTime, Duration.ofSeconds(60)), new TrueTime(() -> 0, () -> 0),
				this.meetings, IdleExchanges.STATUSES);
		news.greeted("n1", new UUID(1, 1));
		news.greeted("n1", new UUID(1, 1));
		assertThat(this.meetings.areOver()).isFalse();
		news.notReached("n2");
		assertThat(this.meetings.areOver()).isTrue();
		news.rebuilds("n1", true);
		assertThat(membership.isRebuilding("n1")).isTrue();
		assertThat(membership.isRebuilding("n0")).isFalse();
		news.rebuilds("n1", false);
		assertThat(membership.isRebuilding("n1")).isFalse();
	}

	@Test
	void theyAreNotWaitedForForEver() {
		this.meetings.settled("n1");
		this.meetings.await(Duration.ofMillis(20));
		assertThat(this.meetings.areOver()).isTrue();
	}

}
