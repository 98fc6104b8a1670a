package io.quorate.command.bench;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

import io.quorate.client.Answer;
import io.quorate.client.Request;
import io.quorate.command.access.Answers;
import io.quorate.command.access.Cluster;
import io.quorate.command.access.ConsistencyOptions;
import io.quorate.command.access.Range;
import io.quorate.command.access.Requests;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.Progress;
import io.quorate.command.terminal.ProgressUnit;
import io.quorate.command.terminal.Terminal;
import io.quorate.command.terminal.Workers;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The keys that a load reads and writes, and no other client does. They are deleted at
 * its end, and expire if the command was killed. Safe for threads.
 */
final class BenchKeys {

	private static final int FOUND = 200;

	private static final Duration LEFT_BEHIND = Duration.ofMinutes(10);

	/* In a row, of all workers: the nodes do not answer. */
	private static final int MOST_FAILURES = 100;

	private final Cluster cluster;

	private final ConsistencyOptions consistency;

	private final Terminal terminal;

	private final Shape shape;

	private final byte[] value;

	private final String text;

	BenchKeys(Cluster cluster, ConsistencyOptions consistency, Terminal terminal, Shape shape) {
		this.cluster = cluster;
		this.consistency = consistency;
		this.terminal = terminal;
		this.shape = shape;
		this.value = new byte[shape.valueBytes()];
		for (int i = 0; i < this.value.length; i++) {
			this.value[i] = (byte) ('a' + i % ('z' - 'a' + 1));
		}
		this.text = new String(this.value, StandardCharsets.US_ASCII);
	}

	/** The request that a load sends for a key, or a batch for it and the next ones. */
	Request request(boolean isRead, int number) {
		if (this.shape.batch() > 1) {
			return batch(isRead, number);
		}
		return isRead ? this.consistency.on(Requests.get(key(number))) : put(number);
	}

	/** Whether a node has done such a request, or says in its answer of each item. */
	boolean isAnswer(boolean isRead, Answer answer) {
		if (this.shape.batch() > 1) {
			return Answers.isSuccess(answer);
		}
		return isRead ? Answers.isValue(answer) : Answers.isWritten(answer);
	}

	/** The reason for which an item of a batch has failed, {@code null} if none has. */
	@Nullable String failure(boolean isRead, Answer answer) {
		if (this.shape.batch() == 1) {
			return null;
		}
		int expected = isRead ? FOUND : Answers.CREATED;
		List<Integer> statuses = Answers.text(answer).lines().map(BenchKeys::status).toList();
		if (statuses.size() != this.shape.batch()) {
			return "not every item was answered";
		}
		return statuses.stream()
			.filter((status) -> status != expected)
			.findFirst()
			.map((status) -> "an item was answered " + status)
			.orElse(null);
	}

	private static int status(String line) {
		try {
			return JsonMapper.shared().readTree(line).path("status").asInt(0);
		}
		catch (JacksonException cutOff) {
			return 0;
		}
	}

	int count() {
		return this.shape.count();
	}

	private String key(int number) {
		return this.shape.prefix() + String.format(Locale.ROOT, "%07d", number);
	}

	private Request put(int number) {
		return this.consistency.on(Requests.put(key(number), this.value)).parameter("ttl", secondsToLive());
	}

	private Request batch(boolean isRead, int first) {
		StringBuilder body = new StringBuilder();
		for (int i = 0; i < this.shape.batch(); i++) {
			ObjectNode item = JsonMapper.shared().createObjectNode();
			item.put("op", isRead ? "get" : "put").put("key", key((first + i) % count()));
			if (!isRead) {
				item.put("text", this.text).put("ttl", secondsToLive());
			}
			body.append(item).append('\n');
		}
		return this.consistency.on(Request.write("POST", "/v0/batch"))
			.body(body.toString().getBytes(StandardCharsets.UTF_8));
	}

	private long secondsToLive() {
		return this.shape.load().plus(LEFT_BEHIND).toSeconds();
	}

	/**
	 * Checks that there are none.
	 * @throws CommandException if there are: the load would write over them
	 */
	void requireNone() {
		Range any = new Range(this.shape.prefix(), new Range.Bounds(null, null), false, true, 1, this.consistency);
		this.cluster.read(any, (found) -> {
			throw new CommandException(ExitCode.MISUSED,
					"there is a key '%s' already: choose another --prefix, or delete what begins with it"
						.formatted(found.key()));
		});
	}

	/**
	 * Writes each of them, so that every read finds a value. One that cannot be written
	 * is reported: reads of it may fail.
	 * @throws CommandException if none can, or many in a row
	 */
	void write() {
		Done done = each("wrote", (number) -> this.cluster.sendAgain(put(number), Answers::isWritten));
		CommandException failure = done.failure();
		if (failure != null) {
			if (done.isGivenUp() || done.count() == 0) {
				throw failure;
			}
			this.terminal.err()
				.printf(Locale.ROOT, "%,d keys were not written, reads of them may fail: %s%n", count() - done.count(),
						failure.getMessage());
		}
	}

	/** Deletes each of them, unless the nodes do not answer. What is left expires. */
	void delete() {
		Done done = each("deleted", (number) -> this.cluster
			.sendAgain(this.consistency.on(Requests.delete(key(number))), Answers::isWritten));
		if (done.count() < count()) {
			this.terminal.err()
				.printf(Locale.ROOT, "%,d keys that begin with '%s' may be left; they expire in %d minutes%n",
						count() - done.count(), this.shape.prefix(), LEFT_BEHIND.toMinutes());
		}
	}

	/* Goes on after a failure, unless there are many in a row. */
	private Done each(String verb, IntConsumer work) {
		AtomicInteger next = new AtomicInteger();
		AtomicInteger inARow = new AtomicInteger();
		AtomicReference<@Nullable CommandException> first = new AtomicReference<>();
		try (Progress progress = Progress.start(this.terminal, verb, ProgressUnit.of("keys"),
				() -> Math.min(1, (double) next.get() / count()))) {
			Workers.run(Math.min(this.shape.workers(), count()), () -> {
				for (int number = next.getAndIncrement(); number < count()
						&& inARow.get() < MOST_FAILURES; number = next.getAndIncrement()) {
					try {
						work.accept(number);
						inARow.set(0);
						progress.done(1);
					}
					catch (CommandException failure) {
						inARow.incrementAndGet();
						first.compareAndSet(null, failure);
						progress.failed(1);
					}
				}
			});
			return new Done(progress.records(), inARow.get() >= MOST_FAILURES, first.get());
		}
	}

	/**
	 * The outcome of one operation on all keys.
	 *
	 * @param count number of keys for which it was done
	 * @param isGivenUp whether too many have failed in a row
	 * @param failure the first failure, {@code null} without one
	 */
	private record Done(long count, boolean isGivenUp, @Nullable CommandException failure) {
	}

	/**
	 * The numbers of a load.
	 *
	 * @param prefix the beginning of all keys
	 * @param count number of keys
	 * @param valueBytes size of each value
	 * @param batch number of keys of a request
	 * @param workers the most requests under way at once
	 * @param load time that the load takes
	 */
	record Shape(String prefix, int count, int valueBytes, int batch, int workers, Duration load) {
	}

}
