package io.quorate.membership;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * The questions to all other members of the layout whether they hear one of them. Safe
 * for any number of threads.
 */
final class Silences {

	/** Time after which the answer of a witness is not awaited any more. */
	static final Duration ANSWER = Duration.ofSeconds(2);

	private final Layouts layouts;

	private final Witnesses witnesses;

	Silences(Layouts layouts, Witnesses witnesses) {
		this.layouts = layouts;
		this.witnesses = witnesses;
	}

	/**
	 * Asks all members but this node for how long they have had no connection to a
	 * member.
	 * @return their answers by their ids, empty for one that gives none; never fails, and
	 * has an outcome within a bounded time
	 */
	CompletableFuture<Map<String, Optional<Duration>>> of(String member) {
		Map<String, CompletableFuture<Optional<Duration>>> asked = new TreeMap<>();
		for (String witness : this.layouts.current().members()) {
			if (!witness.equals(this.layouts.self()) && !witness.equals(member)) {
				asked.put(witness, this.witnesses.silenceOf(member, witness, ANSWER));
			}
		}
		return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new)).thenApply((_) -> {
			Map<String, Optional<Duration>> answers = new TreeMap<>();
			asked.forEach((witness, answer) -> answers.put(witness, answer.join()));
			return answers;
		});
	}

}
