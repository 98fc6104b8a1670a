package io.quorate.membership.change;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.quorate.clock.Deadline;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.members.Layouts;

/**
 * The contact with candidates, also with those that do not know this member. A candidate
 * accepts the handshakes of the nodes that its configuration names, and of the members
 * that one of these has shown it. So if it does not accept this node, the other members
 * are asked to {@linkplain Introductions meet} it; when one has, it learns the layout,
 * and accepts this node soon after. What counts in the end is the report that the
 * candidate gives this node itself. Nothing here waits; safe for any number of threads.
 */
public final class IntroducedContact implements CandidateContact {

	/**
	 * Time for the answer of a member: longer than a handshake takes by default. The
	 * meeting of a member with a longer one goes on, unseen.
	 */
	static final Duration LIMIT = Duration.ofSeconds(5);

	/* The candidate asks for the layout as soon as the handshake of the other is over. */
	private static final Duration PAUSE = Duration.ofMillis(500);

	private static final int ATTEMPTS = 6;

	/* An operator waits; a try that has begun is not broken off. */
	private static final Duration TRIES = Duration.ofSeconds(12);

	private static final String ADVICE = "if the node knows no member, have its quorate.cluster.seeds name one";

	private final CandidateContact direct;

	private final Layouts layouts;

	private final Introducers members;

	private final Duration pause;

	/**
	 * The contact of a member.
	 * @param direct connects to a candidate
	 */
	public IntroducedContact(CandidateContact direct, Layouts layouts, Introducers members) {
		this(direct, layouts, members, PAUSE);
	}

	IntroducedContact(CandidateContact direct, Layouts layouts, Introducers members, Duration pause) {
		this.direct = direct;
		this.layouts = layouts;
		this.members = members;
		this.pause = pause;
	}

	@Override
	public CompletableFuture<Candidate> meet(Endpoint candidate) {
		Deadline tries = Deadline.after(TRIES);
		return this.direct.meet(candidate)
			.exceptionallyCompose((failure) -> introduced(candidate)
				.thenCompose((said) -> said.values().stream().anyMatch(String::isEmpty)
						? again(candidate, 1, tries, said) : unmet(failure, said)));
	}

	/*
	 * The answers of the members by their ids, once one has met the candidate, or all
	 * have answered.
	 */
	private CompletableFuture<Map<String, String>> introduced(Endpoint candidate) {
		Map<String, String> said = new TreeMap<>();
		CompletableFuture<Map<String, String>> enough = new CompletableFuture<>();
		List<CompletableFuture<?>> answers = new ArrayList<>();
		for (Endpoint member : this.layouts.peers()) {
			answers.add(this.members.introduce(member.id(), candidate, LIMIT).thenAccept((objection) -> {
				synchronized (said) {
					said.put(member.id(), objection);
					if (objection.isEmpty()) {
						enough.complete(new TreeMap<>(said));
					}
				}
			}));
		}
		return CompletableFuture.anyOf(enough, CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)))
			.thenApply((_) -> {
				synchronized (said) {
					return new TreeMap<>(said);
				}
			});
	}

	private CompletableFuture<Candidate> again(Endpoint candidate, int attempt, Deadline tries,
			Map<String, String> said) {
		return this.direct.meet(candidate)
			.exceptionallyCompose((failure) -> (attempt == ATTEMPTS || tries.isExpired()) ? unmet(failure, said)
					: new CompletableFuture<Boolean>()
						.completeOnTimeout(true, this.pause.toMillis(), TimeUnit.MILLISECONDS)
						.thenCompose((_) -> again(candidate, attempt + 1, tries, said)));
	}

	private static CompletableFuture<Candidate> unmet(Throwable failure, Map<String, String> said) {
		return CompletableFuture.failedFuture(new IOException(words(failure, said)));
	}

	private static String words(Throwable failure, Map<String, String> said) {
		StringBuilder words = new StringBuilder(Introductions.reason(failure));
		Map<String, List<String>> members = new TreeMap<>();
		said.forEach((member, objection) -> members
			.computeIfAbsent(objection.isEmpty() ? "met it" : objection, (_) -> new ArrayList<>())
			.add(member));
		members.forEach((objection,
				all) -> words.append("; by ").append(String.join(", ", all)).append(": ").append(objection));
		// A candidate that a member has met knows that one.
		return said.containsValue("") ? words.toString() : words.append("; ").append(ADVICE).toString();
	}

}
