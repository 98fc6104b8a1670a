package io.quorate.warmup;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.quorate.clock.Deadline;
import io.quorate.storage.thread.Uninterrupted;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a warm-up: mostly writes and reads of small values, and some of all
 * others, on several connections at once.
 */
final class RequestMix {

	private static final int CONNECTIONS = 16;

	/* To open and to close one is code, too. */
	private static final int MOST_OF_A_CONNECTION = 50;

	/* As many requests as there are between two of each rare kind. */
	private static final int CYCLE = 64;

	private static final int SMALL_BYTES = 100;

	/* Has a file of its own, and goes between nodes in parts. */
	private static final int LARGE_BYTES = 100_000;

	/* Later ones would take only the disk. */
	private static final int LAST_LARGE = 10_000;

	private static final String SMALL = "v".repeat(SMALL_BYTES);

	private static final String LARGE = "v".repeat(LARGE_BYTES);

	private final int port;

	private final Duration timeout;

	private final int count;

	private final Deadline end;

	private final AtomicInteger begun = new AtomicInteger();

	private final AtomicInteger done = new AtomicInteger();

	private final AtomicInteger failed = new AtomicInteger();

	private final AtomicReference<@Nullable String> firstFailure = new AtomicReference<>();

	/**
	 * Requests that are not sent yet.
	 * @param port number of the port on loopback
	 * @param timeout the time that each may take
	 * @param end time after which none is sent
	 */
	RequestMix(int port, Duration timeout, int count, Deadline end) {
		this.port = port;
		this.timeout = timeout;
		this.count = count;
		this.end = end;
	}

	/** Sends the requests, and returns when all have their answers. */
	Result run() {
		ThreadFactory threads = Thread.ofVirtual().name("warm-up-", 0).factory();
		List<Thread> clients = new ArrayList<>();
		for (int i = 0; i < CONNECTIONS; i++) {
			Thread client = threads.newThread(this::sendAll);
			clients.add(client);
			client.start();
		}
		clients.forEach(Uninterrupted::join);
		return new Result(this.done.get(), this.failed.get(), this.firstFailure.get());
	}

	private void sendAll() {
		try {
			boolean areLeft = true;
			while (areLeft) {
				areLeft = sendByOneConnection();
			}
		}
		catch (IOException | RuntimeException failure) {
			failed(failure.toString());
		}
	}

	/* Whether requests are left. */
	private boolean sendByOneConnection() throws IOException {
		try (HttpConnection connection = HttpConnection.to(this.port, this.timeout)) {
			for (int sent = 0; sent < MOST_OF_A_CONNECTION; sent++) {
				int number = this.begun.getAndIncrement();
				if (number >= this.count || this.end.isExpired()) {
					return false;
				}
				int status = send(connection, number);
				this.done.incrementAndGet();
				if (status >= 500) {
					failed("status " + status);
				}
			}
			return true;
		}
	}

	private void failed(String why) {
		this.failed.incrementAndGet();
		this.firstFailure.compareAndSet(null, why);
	}

	private int send(HttpConnection connection, int number) throws IOException {
		String key = "/v0/entity?id=key-%06d&replicas=2/3".formatted(number / 2);
		return switch (number % CYCLE) {
			case 2 -> connection.request("GET", "/v0/entities?start=key-&limit=20");
			case 6 -> connection.request("HEAD", key);
			case 10 -> connection.request("DELETE", key);
			case 14 -> connection.request("GET", "/v0/entity?id=none");
			case 18 -> connection.request("PUT", key, (number < LAST_LARGE) ? LARGE : SMALL);
			case 22 -> connection.request("POST", "/v0/batch", """
					{"op":"put","id":"batch-%d","text":"value"}
					{"op":"get","id":"key-000000"}
					""".formatted(number));
			/* An old one, of which some are in tables only. */
			case 15, 31, 47, 63 -> connection.request("GET", "/v0/entity?id=key-%06d".formatted(number / CYCLE));
			default -> (number % 2 == 0) ? connection.request("PUT", key, SMALL) : connection.request("GET", key);
		};
	}

	/**
	 * The outcome of the requests.
	 *
	 * @param done number of answers
	 * @param failed number of answers that are errors of the node, and of connections
	 * that were lost
	 * @param firstFailure reason of the first of them, {@code null} for none
	 */
	record Result(int done, int failed, @Nullable String firstFailure) {
	}

}
