package io.quorate.membership.change;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.quorate.membership.change.CandidateContact.Candidate;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.members.Layouts;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class IntroductionsTests {

	private static final Candidate CANDIDATE = new Candidate(new UUID(1, 2), false, null);

	private final Layouts layouts = Layouts.of("n0", List.of("n0@a:1", "n1@b:2", "n2@c:3"), null);

	private final List<Endpoint> met = new ArrayList<>();

	private CompletableFuture<Candidate> outcome = CompletableFuture.completedFuture(CANDIDATE);

	private final Introductions introductions = introductions(this.layouts);

	private Introductions introductions(Layouts its) {
		return new Introductions(its, (candidate) -> {
			this.met.add(candidate);
			return this.outcome;
		});
	}

	@Test
	void aMemberHasANodeMet() {
		assertThat(this.introductions.introduce("n1", "n3@d:4/east")).isCompletedWithValue("");
		assertThat(this.met).containsExactly(Endpoint.parse("n3@d:4/east"));
		this.outcome = CompletableFuture.failedFuture(new IOException("cut off"));
		assertThat(this.introductions.introduce("n2", "n3@d:4")).isCompletedWithValue("cut off");
		this.outcome = CompletableFuture.completedFuture(CANDIDATE);
		assertThat(this.introductions.introduce("n2", "n3@d:4")).as("again").isCompletedWithValue("");
	}

	@Test
	void aMemberMeetsOthersAfterAContactThatThrows() {
		Introductions its = new Introductions(this.layouts, (candidate) -> {
			this.met.add(candidate);
			throw new IllegalStateException("no such host");
		});
		assertThat(its.introduce("n1", "n3@d:4")).isCompletedWithValue("no such host");
		assertThat(its.introduce("n1", "n3@d:4")).isCompletedWithValue("no such host");
		assertThat(this.met).hasSize(2);
	}

	/* Hosts may have other names on another node. */
	@Test
	void aNodeOfTheConfigurationIsMetAtItsAddressHere() {
		this.layouts.adopt(new Layout(2, this.layouts.configured().endpoints(),
				Ring.of(List.of(Member.of("n0"), Member.of("n1")), 2)));
		assertThat(this.introductions.introduce("n1", "n2@elsewhere:3")).isCompletedWithValue("");
		assertThat(this.met).containsExactly(Endpoint.parse("n2@c:3"));
	}

	@Test
	void aNodeThatIsNoMemberHasNoneMet() {
		assertThat(this.introductions.introduce("n7", "n3@d:4")).isCompletedWithValue("'n7' is no member");
		assertThat(this.met).isEmpty();
	}

	@Test
	void aCandidateMeetsNoOtherOne() {
		Introductions its = introductions(
				Layouts.of("n4", List.of("n0@a:1", "n1@b:2", "n2@c:3"), null, "n4@e:5", List.of()));
		assertThat(its.introduce("n1", "n3@d:4")).isCompletedWithValue("n4 is no member itself");
		assertThat(this.met).isEmpty();
	}

	/* The certificate of another host would stand for the member. */
	@Test
	void aMemberIsNotMetAtAnotherAddress() {
		assertThat(this.introductions.introduce("n1", "n2@evil:3")).isCompletedWithValue("n2 is a member");
		assertThat(this.introductions.introduce("n1", "n2@c:3")).isCompletedWithValue("n2 is a member");
		assertThat(this.introductions.introduce("n1", "n0@a:1")).isCompletedWithValue("n0 is a member");
		assertThat(this.introductions.introduce("n1", "nobody").join()).contains("must be id@host:port");
		assertThat(this.met).isEmpty();
	}

	@Test
	void aMemberMeetsOneCandidateAtATime() {
		CompletableFuture<Candidate> slow = new CompletableFuture<>();
		this.outcome = slow;
		CompletableFuture<String> first = this.introductions.introduce("n1", "n3@d:4");
		assertThat(this.introductions.introduce("n2", "n4@e:5"))
			.isCompletedWithValue("it meets another candidate just now");
		assertThat(first).isNotDone();
		slow.complete(CANDIDATE);
		assertThat(first).isCompletedWithValue("");
		assertThat(this.introductions.introduce("n2", "n4@e:5")).isCompletedWithValue("");
	}

	/* The connection of the member that has asked is lost meanwhile. */
	@Test
	void aMemberMeetsOthersAfterACancelledIntroduction() {
		CompletableFuture<Candidate> slow = new CompletableFuture<>();
		this.outcome = slow;
		this.introductions.introduce("n1", "n3@d:4").cancel(true);
		slow.complete(CANDIDATE);
		assertThat(this.introductions.introduce("n2", "n4@e:5")).isCompletedWithValue("");
	}

}
