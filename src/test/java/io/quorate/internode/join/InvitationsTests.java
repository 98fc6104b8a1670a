package io.quorate.internode.join;

import java.util.ArrayList;
import java.util.List;

import io.quorate.internode.join.Invitations.Invitation;
import io.quorate.membership.layout.Endpoint;
import io.quorate.ring.Member;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The invitations of candidates that are met more than once. */
class InvitationsTests {

	private static final Endpoint CANDIDATE = at("127.0.0.1");

	private final List<String> events = new ArrayList<>();

	private final Invitations invitations = new Invitations((candidate) -> this.events.add("in " + candidate),
			(candidate) -> this.events.add("out " + candidate));

	private static Endpoint at(String host) {
		return new Endpoint(Member.of("n3"), host, 7003);
	}

	@Test
	void aCandidateIsUninvitedWithItsLastInvitation() {
		Invitation ofDryRun = this.invitations.invite(CANDIDATE);
		Invitation ofChange = this.invitations.invite(CANDIDATE);
		ofDryRun.withdraw();
		ofDryRun.withdraw();
		assertThat(this.events).as("it joins by the second meeting").noneMatch("out n3"::equals);
		assertThat(this.invitations.candidates()).containsExactly("n3");
		ofChange.withdraw();
		assertThat(this.events).endsWith("out n3");
		assertThat(this.invitations.candidates()).isEmpty();
	}

	@Test
	void aMeetingThatFailsLeavesTheInvitationOfAnother() {
		Invitation met = this.invitations.invite(CANDIDATE);
		this.invitations.invite(CANDIDATE).withdraw();
		assertThat(this.invitations.candidates()).containsExactly("n3");
		met.withdraw();
		assertThat(this.invitations.candidates()).isEmpty();
	}

	@Test
	void aNodeThatHasLeftIsInvitedAnew() {
		Invitation before = this.invitations.invite(CANDIDATE);
		this.invitations.forget("n3");
		assertThat(this.invitations.candidates()).isEmpty();
		this.invitations.invite(CANDIDATE);
		before.withdraw();
		assertThat(this.invitations.candidates()).as("the new one is another").containsExactly("n3");
		assertThat(this.events).doesNotContain("out n3");
	}

	@Test
	void aCandidateIsReachedAtTheAddressOfItsNewestInvitation() {
		Invitation met = this.invitations.invite(at("one"));
		Invitation mistyped = this.invitations.invite(at("two"));
		mistyped.withdraw();
		assertThat(this.events).containsExactly("in n3@one:7003", "in n3@two:7003", "in n3@one:7003");
		met.withdraw();
		assertThat(this.events).endsWith("out n3");
	}

}
