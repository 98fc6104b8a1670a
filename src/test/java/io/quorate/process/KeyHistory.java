package io.quorate.process;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * A key, and what it may hold: what was acknowledged last, or any write since then whose
 * outcome nobody was told. Written by one thread at a time.
 */
final class KeyHistory {

	private static final State ABSENT = new State(0, -1);

	private final String key;

	private List<State> possible = List.of(ABSENT);

	private long versions;

	KeyHistory(String key) {
		this.key = key;
	}

	String key() {
		return this.key;
	}

	/** Writes, overwrites, deletes or reads, and remembers what was told. */
	Outcome next(NodeClient client, SplittableRandom random) throws InterruptedException {
		return next(client, random, (_) -> {
		});
	}

	/** The same, and passes the answer on if there is one. */
	Outcome next(NodeClient client, SplittableRandom random, Consumer<Answer> answers) throws InterruptedException {
		int choice = random.nextInt(100);
		if (choice < 20) {
			return read(client, answers);
		}
		State wanted = (choice < 35) ? ABSENT : new State(++this.versions, size(random));
		try {
			NodeAnswer answer = wanted.isAbsent() ? client.delete(this.key)
					: client.put(this.key, wanted.content(this.key));
			answers.accept(Answer.of(answer));
			return switch (answer.statusCode()) {
				case 201, 202 -> {
					this.possible = List.of(wanted);
					yield Outcome.ACKNOWLEDGED;
				}
				case 503, 507 -> Outcome.REFUSED;
				default -> unknown(wanted);
			};
		}
		catch (IOException connectionLost) {
			return unknown(wanted);
		}
	}

	/** Reads, and passes the answer on if there is one. */
	Outcome read(NodeClient client, Consumer<Answer> answers) throws InterruptedException {
		try {
			NodeAnswer answer = client.get(this.key);
			answers.accept(Answer.of(answer));
			if (answer.statusCode() != 200 && answer.statusCode() != 404) {
				return Outcome.REFUSED;
			}
			requirePossible(answer);
			return Outcome.READ;
		}
		catch (IOException connectionLost) {
			return Outcome.REFUSED;
		}
	}

	private Outcome unknown(State wanted) {
		this.possible = new ArrayList<>(this.possible);
		this.possible.add(wanted);
		return Outcome.UNKNOWN;
	}

	private static int size(SplittableRandom random) {
		int choice = random.nextInt(100);
		if (choice < 3) {
			return 0;
		}
		return (choice < 90) ? random.nextInt(choice < 75 ? 2048 : 16 * 1024) : random.nextInt(20 << 10, 1 << 20);
	}

	/** Holds an answer against what is possible; from now on nothing else is. */
	void settle(NodeAnswer answer) {
		this.possible = List.of(requirePossible(answer));
	}

	private State requirePossible(NodeAnswer answer) {
		byte @Nullable [] found = (answer.statusCode() == 404) ? null : answer.body();
		return this.possible.stream()
			.filter((state) -> state.matches(this.key, found))
			.findFirst()
			.orElseThrow(() -> new AssertionError(
					"%s was answered %d with %d bytes, but only these (version, size; -1 = absent) are possible: %s"
						.formatted(this.key, answer.statusCode(), answer.body().length, this.possible)));
	}

	/** What the key holds, once settled; {@code null} when that is nothing. */
	byte @Nullable [] settled() {
		State state = this.possible.getFirst();
		return state.isAbsent() ? null : state.content(this.key);
	}

	/** The outcomes of one operation. */
	enum Outcome {

		ACKNOWLEDGED, REFUSED, UNKNOWN, READ

	}

	private record State(long version, int sizeBytes) {

		private boolean isAbsent() {
			return this.sizeBytes < 0;
		}

		private byte[] content(String key) {
			return Contents.of(key, this.version, this.sizeBytes);
		}

		private boolean matches(String key, byte @Nullable [] found) {
			return isAbsent() ? found == null
					: found != null && found.length == this.sizeBytes && Arrays.equals(found, content(key));
		}

	}

}
