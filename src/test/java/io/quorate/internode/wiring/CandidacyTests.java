package io.quorate.internode.wiring;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

import io.quorate.membership.layout.Endpoint;
import io.quorate.ring.Member;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class CandidacyTests {

	private static final Endpoint N0 = new Endpoint(new Member("n0", ""), "a", 1);

	private static final Endpoint N1 = new Endpoint(new Member("n1", ""), "b", 2);

	private static final Endpoint OWN = new Endpoint(new Member("n3", "east"), "d", 4);

	private static final Duration PAUSE = Duration.ofMillis(4);

	private final Queue<String> asked = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean isMember = new AtomicBoolean();

	private @Nullable Candidacy candidacy;

	@AfterEach
	void stop() {
		if (this.candidacy != null) {
			this.candidacy.stop();
		}
	}

	private Candidacy begin(@Nullable Endpoint own) {
		Candidacy begun = new Candidacy(own, () -> List.of(N0, N1), this.isMember::get, (member) -> (candidate, _) -> {
			this.asked.add(member.id() + " " + candidate);
			return member.equals(N0) ? CompletableFuture.failedFuture(new IOException("cut off"))
					: CompletableFuture.completedFuture("its joining begins");
		}, PAUSE);
		this.candidacy = begun;
		begun.start();
		return begun;
	}

	private void awaitAsked(int times) {
		Awaitility.await().until(() -> this.asked.size() >= times);
	}

	@Test
	void aCandidateAsksTheMembersUntilItIsOne(CapturedOutput output) {
		begin(OWN);
		awaitAsked(3);
		assertThat(List.copyOf(this.asked).subList(0, 3)).containsExactly("n0 n3@d:4/east", "n1 n3@d:4/east",
				"n0 n3@d:4/east");
		this.isMember.set(true);
		Awaitility.await().untilAsserted(() -> assertThat(output).contains("This node is a member of the cluster"));
		assertThat(output)
			.containsOnlyOnce("n0 is asked to have this node join: no answer, java.io.IOException: cut off")
			.containsOnlyOnce("n1 is asked to have this node join: its joining begins");
	}

	/* As one that the layout has named since: all known before may have left. */
	@Test
	void aCandidateAsksTheMembersThatItKnowsNow() {
		List<Endpoint> known = new CopyOnWriteArrayList<>(List.of(N0));
		this.candidacy = new Candidacy(OWN, () -> List.copyOf(known), this.isMember::get,
				(member) -> (candidate, _) -> {
					this.asked.add(member.id());
					known.set(0, N1);
					return CompletableFuture.completedFuture("another change of the members is under way");
				}, PAUSE);
		this.candidacy.start();
		awaitAsked(3);
		assertThat(List.copyOf(this.asked).subList(0, 3)).containsExactly("n0", "n1", "n1");
	}

	private long askedBy(String candidate) {
		return this.asked.stream().filter((its) -> its.contains(" " + candidate)).count();
	}

	@Test
	void aCandidateThatStopsAsksNoMore() {
		Candidacy begun = begin(OWN);
		awaitAsked(1);
		begun.stop();
		assertThat(begun.isRunning()).isFalse();
		int times = this.asked.size();
		Candidacy another = begin(new Endpoint(new Member("n9", ""), "z", 9));
		Awaitility.await().until(() -> askedBy("n9") >= 6);
		another.stop();
		assertThat(askedBy("n3")).as("at most one that was under way").isLessThanOrEqualTo(times + 1);
	}

	@Test
	void aMemberAndACandidateOfAnOperatorAskNobody(CapturedOutput output) {
		begin(null);
		this.isMember.set(true);
		begin(OWN);
		assertThat(this.asked).isEmpty();
		assertThat(output).doesNotContain("asks the members");
	}

}
