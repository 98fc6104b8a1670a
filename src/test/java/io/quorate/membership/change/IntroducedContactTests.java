package io.quorate.membership.change;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.membership.change.CandidateContact.Candidate;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.members.Layouts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class IntroducedContactTests {

	private static final Candidate CANDIDATE = new Candidate(new UUID(1, 2), false, null);

	private static final Endpoint NODE = Endpoint.parse("n9@z:9");

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final Layouts layouts = Layouts.of("n0", List.of("n0@a:1", "n1@b:2", "n2@c:3", "n3@d:4"), 3);

	/* What the members answer when they are asked. */
	private final Map<String, CompletableFuture<String>> answers = new ConcurrentHashMap<>();

	private final List<String> asked = new ArrayList<>();

	private final AtomicInteger meetings = new AtomicInteger();

	/* The number of meetings that the candidate refuses. */
	private int refused;

	private IntroducedContact contact() {
		return new IntroducedContact((node) -> {
			assertThat(node).isEqualTo(NODE);
			return (this.meetings.incrementAndGet() > this.refused) ? CompletableFuture.completedFuture(CANDIDATE)
					: CompletableFuture.failedFuture(new IOException("it is refused"));
		}, this.layouts, (member, node, limit) -> {
			assertThat(node).isEqualTo(NODE);
			assertThat(limit).isEqualTo(IntroducedContact.LIMIT);
			this.asked.add(member);
			return this.answers.computeIfAbsent(member, (_) -> new CompletableFuture<>());
		}, Duration.ofMillis(1));
	}

	private void answer(String member, String objection) {
		this.answers.computeIfAbsent(member, (_) -> new CompletableFuture<>()).complete(objection);
	}

	@Test
	void aCandidateThatKnowsThisMemberIsMetByItAlone() {
		assertThat(contact().meet(NODE)).isCompletedWithValue(CANDIDATE);
		assertThat(this.asked).isEmpty();
	}

	@Test
	void oneMemberThatTheCandidateKnowsIsEnough() {
		this.refused = 1;
		CompletableFuture<Candidate> met = contact().meet(NODE);
		assertThat(this.asked).containsExactly("n1", "n2", "n3");
		answer("n2", "cut off");
		assertThat(met).as("others may know it").isNotDone();
		answer("n3", "");
		assertThat(met).as("no answer of n1 is awaited").succeedsWithin(PATIENCE).isEqualTo(CANDIDATE);
	}

	/* The candidate learns the layout some time after it was met. */
	@Test
	void aMemberTriesAgainUntilTheCandidateKnowsIt() {
		this.refused = 5;
		answer("n1", "");
		assertThat(contact().meet(NODE)).succeedsWithin(PATIENCE).isEqualTo(CANDIDATE);
		assertThat(this.meetings).hasValue(6);
		assertThat(this.asked).as("once").hasSize(3);
	}

	@Test
	void aMemberGivesUpACandidateThatNeverKnowsIt() {
		this.refused = Integer.MAX_VALUE;
		answer("n1", "");
		assertThat(contact().meet(NODE)).failsWithin(PATIENCE)
			.withThrowableThat()
			.withMessageEndingWith("it is refused; by n1: met it");
		assertThat(this.meetings).hasValue(7);
	}

	@Test
	void aCandidateThatKnowsNoMemberIsRefusedInWords() {
		this.refused = Integer.MAX_VALUE;
		CompletableFuture<Candidate> met = contact().meet(NODE);
		answer("n3", "it does not answer");
		answer("n1", "cut off");
		answer("n2", "cut off");
		assertThat(met).failsWithin(PATIENCE)
			.withThrowableThat()
			.withMessageContaining("it is refused; by n1, n2: cut off; by n3: it does not answer;"
					+ " if the node knows no member, have its quorate.cluster.seeds name one");
		assertThat(this.meetings).as("not again").hasValue(1);
	}

	@Test
	void aMemberWithoutPeersAsksNone() {
		this.refused = 1;
		IntroducedContact alone = new IntroducedContact(
				(_) -> CompletableFuture.failedFuture(new IOException("it is refused")),
				Layouts.of("n0", List.of(), null), (_, _, _) -> {
					throw new AssertionError("there is none");
				});
		assertThat(alone.meet(NODE)).failsWithin(PATIENCE)
			.withThrowableThat()
			.withMessageContaining("is refused; if the node");
	}

	/** In any order of the answers it is met if and only if one member has met it. */
	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8 })
	void theOrderOfTheAnswersDoesNotMatter(long seed) {
		Random random = new Random(seed);
		this.refused = 1 + random.nextInt(3);
		Deque<String> order = new ArrayDeque<>();
		List.of("n1", "n2", "n3").forEach((member) -> {
			if (random.nextBoolean()) {
				order.addFirst(member);
			}
			else {
				order.addLast(member);
			}
		});
		CompletableFuture<Candidate> met = contact().meet(NODE);
		boolean isMet = false;
		while (!order.isEmpty()) {
			boolean knows = random.nextInt(3) == 0;
			isMet |= knows;
			answer(order.removeFirst(), knows ? "" : "cut off");
		}
		if (isMet) {
			assertThat(met).succeedsWithin(PATIENCE).isEqualTo(CANDIDATE);
		}
		else {
			assertThat(met).failsWithin(PATIENCE);
		}
	}

}
