package io.quorate.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.history.RegisterHistory.Verdict;
import io.quorate.history.RegisterHistory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keys that many clients read and write at the same time, each of which is one register,
 * and the judge of what the clients were told. Safe for any number of threads.
 */
final class Registers {

	private static final int MOST_STATES = 2_000_000;

	private final Map<String, RegisterHistory> histories = new ConcurrentSkipListMap<>();

	private final Map<String, AtomicInteger> values = new ConcurrentSkipListMap<>();

	/** Reads, writes or deletes a key. */
	Answer operate(NodeClient client, String key, SplittableRandom random) throws InterruptedException {
		int choice = random.nextInt(100);
		return (choice < 50) ? read(client, key) : write(client, key, choice >= 85);
	}

	/** Reads a key. */
	Answer read(NodeClient client, String key) throws InterruptedException {
		long began = System.nanoTime();
		try {
			NodeAnswer answer = client.get(key);
			int status = answer.statusCode();
			if (status == 200 || status == 404) {
				int value = (status == 200) ? Integer.parseInt(new String(answer.body(), StandardCharsets.US_ASCII))
						: RegisterHistory.ABSENT;
				history(key).read(value, began, System.nanoTime());
			}
			return Answer.of(answer);
		}
		catch (IOException connectionLost) {
			return Answer.LOST;
		}
	}

	private Answer write(NodeClient client, String key, boolean deletes) throws InterruptedException {
		int value = deletes ? RegisterHistory.ABSENT
				: this.values.computeIfAbsent(key, (_) -> new AtomicInteger()).incrementAndGet();
		long began = System.nanoTime();
		try {
			NodeAnswer answer = deletes ? client.delete(key)
					: client.put(key, Integer.toString(value).getBytes(StandardCharsets.US_ASCII));
			switch (answer.statusCode()) {
				case 201, 202 -> history(key).written(value, began, System.nanoTime());
				case 504 -> history(key).unknown(value, began);
				case 503 -> {
				}
				default -> throw new AssertionError("a write was answered " + answer.statusCode());
			}
			return Answer.of(answer);
		}
		catch (IOException connectionLost) {
			history(key).unknown(value, began);
			return Answer.LOST;
		}
	}

	private RegisterHistory history(String key) {
		return this.histories.computeIfAbsent(key, (_) -> new RegisterHistory());
	}

	/** All keys of which a client was told something. */
	Set<String> keys() {
		return this.histories.keySet();
	}

	/** Requires that there is an order of all operations that explains each answer. */
	void requireLinearizable(String test) {
		Map<Verdict, Integer> verdicts = new EnumMap<>(Verdict.class);
		List<String> faults = new ArrayList<>();
		this.histories.forEach((key, history) -> {
			history.readsThatGoBack()
				.forEach((fault) -> faults.add("a read of %s went back: %s".formatted(key, fault)));
			Verdict verdict = history.linearizable(MOST_STATES);
			verdicts.merge(verdict, 1, Integer::sum);
			if (verdict != Verdict.LINEARIZABLE) {
				faults.add("%s is %s:%n%s".formatted(key, verdict, history));
			}
		});
		Scale.report("%s: keys %s".formatted(test, verdicts));
		assertThat(verdicts).as("keys that were judged").isNotEmpty();
		assertThat(faults).isEmpty();
		int unknown = this.histories.values().stream().mapToInt((history) -> (int) history.unknowns()).sum();
		assertThat(unknown).as("writes of unknown outcome")
			.isLessThan(this.histories.values().stream().mapToInt(RegisterHistory::size).sum() / 2);
	}

}
