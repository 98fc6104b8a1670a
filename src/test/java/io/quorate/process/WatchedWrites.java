package io.quorate.process;

import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.quorate.entry.Versioned;
import io.quorate.process.KeyRequests.Reply;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Clients that write, delete and touch some keys, with conditions and without, and tell
 * the judge of those that watch what they were told. For any number of threads.
 */
final class WatchedWrites {

	/* Some expire while others are written. */
	private static final int MOST_TTL_SECONDS = 6;

	private static final int MOST_PADDING = 3000;

	private static final int HOT = 10;

	private static final Duration INTERVAL = Duration.ofMillis(20);

	private final KeyRequests requests;

	private final WatchJudge judge;

	private final List<String> keys;

	private final Map<String, Reply> seen = new ConcurrentHashMap<>();

	private final AtomicInteger texts = new AtomicInteger();

	private final Map<String, Integer> outcomes;

	private volatile boolean isOver;

	/**
	 * None yet.
	 * @param outcomes receives their numbers
	 */
	WatchedWrites(KeyRequests requests, WatchJudge judge, List<String> keys, Map<String, Integer> outcomes) {
		this.requests = requests;
		this.judge = judge;
		this.keys = keys;
		this.outcomes = outcomes;
	}

	/** Counts of outcomes, for any number of threads. */
	static Map<String, Integer> outcomes() {
		return new ConcurrentSkipListMap<>();
	}

	/** What tells a value from all others. */
	static String name(String text) {
		return text.substring(0, text.indexOf(' '));
	}

	/** No more of them begin. */
	void end() {
		this.isOver = true;
	}

	/** Writes on a thread until they end. */
	void run(SplittableRandom random) throws InterruptedException {
		Pace pace = new Pace(INTERVAL);
		while (!this.isOver) {
			// Some keys are written much more than others.
			String key = this.keys.get(random.nextInt(random.nextBoolean() ? HOT : this.keys.size()));
			switch (random.nextInt(12)) {
				case 0, 1 -> write("DELETE", key, "", 0, random);
				case 2 -> write("PUT", key, "?ttl=", 1 + random.nextInt(MOST_TTL_SECONDS), random);
				case 3, 4, 5 -> writeSeen(key, random);
				case 6 -> read(key);
				default -> write("PUT", key, "", 0, random);
			}
			pace.await();
		}
	}

	/** Reads a key, and remembers its version for conditions. */
	private void read(String key) throws InterruptedException {
		try {
			Reply reply = this.requests.get(key);
			count("read", reply);
			this.judge.read(key, reply);
			if (reply.status() == 200 || reply.status() == 404) {
				this.seen.put(key, reply);
			}
		}
		catch (IOException away) {
			count("read", null);
		}
	}

	/* Creates, replaces, deletes or touches what was seen last. */
	private void writeSeen(String key, SplittableRandom random) throws InterruptedException {
		Reply last = this.seen.get(key);
		if (last == null || random.nextInt(4) > 0) {
			read(key);
			last = this.seen.get(key);
		}
		if (last == null) {
			return;
		}
		if (last.status() == 404) {
			write("PUT", key, "", 0, random, "If-None-Match", "*");
			return;
		}
		switch (random.nextInt(5)) {
			case 0 -> write("DELETE", key, "", 0, random, "If-Match", last.etag());
			case 1 -> touch(key, last, 1 + random.nextInt(MOST_TTL_SECONDS));
			default -> write("PUT", key, "", 0, random, "If-Match", last.etag());
		}
	}

	private void touch(String key, Reply last, int ttl) throws InterruptedException {
		try {
			count("touch", this.requests.touch(key + "?ttl=" + ttl, last));
		}
		catch (IOException away) {
			count("touch", null);
		}
	}

	private void write(String method, String key, String query, int ttl, SplittableRandom random, String... condition)
			throws InterruptedException {
		boolean isPut = method.equals("PUT");
		String text = isPut ? key + ":" + this.texts.incrementAndGet() : null;
		String body = isPut ? text + " " + ".".repeat(random.nextInt(MOST_PADDING)) : "";
		long began = System.currentTimeMillis();
		try {
			Reply reply = this.requests.send(method, "/v0/entity/" + key + query + ((ttl > 0) ? ttl : ""), body,
					condition);
			count((condition.length > 0) ? method + " on a condition" : method, reply);
			switch (reply.status()) {
				case 201, 202 -> {
					long expiry = (ttl > 0) ? began + Duration.ofSeconds(ttl).toMillis() : Versioned.NEVER;
					this.judge.written(key, reply.etag(), text, expiry, began);
				}
				case 412, 503 -> unwritten(text);
				case 504 -> {
					String outcome = JsonMapper.shared().readTree(reply.body()).path("outcome").asString("");
					if (outcome.equals("not-written")) {
						unwritten(text);
					}
				}
				default -> throw new AssertionError("a write was answered " + reply);
			}
		}
		catch (ConnectException unsent) {
			count(method, null);
			unwritten(text);
		}
		catch (IOException away) {
			count(method, null);
		}
	}

	private void unwritten(@Nullable String text) {
		if (text != null) {
			this.judge.unwritten(text);
		}
	}

	private void count(String what, @Nullable Reply reply) {
		this.outcomes.merge(what + " " + ((reply != null) ? reply.status() : "lost"), 1, Integer::sum);
	}

	/** Names of so many keys. */
	static List<String> keys(String prefix, int count) {
		return IntStream.range(0, count).mapToObj((number) -> key(prefix, number)).toList();
	}

	/** The name of a key. */
	static String key(String prefix, int number) {
		return "%s%03d".formatted(prefix, number);
	}

}
