import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

import io.quorate.client.ClientBuilder;
import io.quorate.client.Entity;
import io.quorate.client.OutcomeUnknownException;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;

/**
 * Writes and reads through one address at a constant rate until a file is there, then reads every key once more: k8s/test/run
 * starts it, with the client for Java. Each worker has its own keys, and knows what they must hold: what was acknowledged last,
 * or any write since then whose outcome the client does not know. What the client says has not been written must not be read. No
 * request is repeated, also not by the JDK's client, and none asks for more time than a user gets: the deadline is the server's
 * default.
 *
 * Arguments: URL, requests a second, file that ends it, `strict` (any answer that is not right is a failure) or `tolerant`
 * (requests may fail, but no read may be wrong and no acknowledged write may be lost), and then, if clients need them, a file with a
 * token and one with the certificate of the authority that is trusted for HTTPS. Exit code 1 after a failure.
 */
private static final int WORKERS = 10;

private static final int KEYS = 40;

private static final int ATTEMPTS = 30;

private static final int SIZE = 500;

/* Longer than the server's deadline, which is the one that counts: a node that says nothing by then does not answer at all. */
private static final Duration PATIENCE = Duration.ofSeconds(10);

private static final Map<String, Integer> ANSWERS = new ConcurrentSkipListMap<>();

private static final List<String> FAILED = Collections.synchronizedList(new ArrayList<>());

private static final List<String> WRONG = Collections.synchronizedList(new ArrayList<>());

private static final List<Long> NANOS = Collections.synchronizedList(new ArrayList<>());

void main(String[] arguments) throws Exception {
	// Otherwise the JDK's client repeats a GET whose connection was closed before its answer, and any request whose connection failed.
	System.setProperty("jdk.httpclient.redirects.retrylimit", "1");
	System.setProperty("jdk.httpclient.disableRetryConnect", "true");
	long interval = Duration.ofSeconds(1).toNanos() * WORKERS / Long.parseLong(arguments[1]);
	Path end = Path.of(arguments[2]);
	boolean isStrict = arguments[3].equals("strict");
	String run = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
	List<Future<?>> workers = new ArrayList<>();
	try (var executor = Executors.newFixedThreadPool(WORKERS)) {
		for (int number = 0; number < WORKERS; number++) {
			Worker worker = new Worker(client(arguments), run + "-" + number);
			long first = System.nanoTime() + interval * number / WORKERS;
			workers.add(executor.submit(() -> worker.run(first, interval, end)));
		}
		for (Future<?> worker : workers) {
			worker.get();
		}
	}
	System.out.println(ANSWERS + "; " + latencies());
	FAILED.stream().limit(20).forEach((failure) -> System.out.println("failed: " + failure));
	WRONG.stream().limit(20).forEach((wrong) -> System.out.println("WRONG: " + wrong));
	System.exit(WRONG.isEmpty() && (FAILED.isEmpty() || !isStrict) ? 0 : 1);
}

/* Of each worker: connections of its own. */
private static QuorateClient client(String[] arguments) {
	ClientBuilder builder = QuorateClient.builder()
		.endpoints(arguments[0])
		.connectTimeout(Duration.ofSeconds(2))
		.options((options) -> options.attempts(1).deadline(PATIENCE).stallTimeout(PATIENCE));
	if (arguments.length > 4) {
		builder.tokenFile(Path.of(arguments[4]));
	}
	if (arguments.length > 5) {
		builder.authority(Path.of(arguments[5]));
	}
	return builder.build();
}

private static String latencies() {
	List<Long> sorted = new ArrayList<>(NANOS);
	Collections.sort(sorted);
	StringBuilder text = new StringBuilder(sorted.size() + " requests, " + FAILED.size() + " failed, " + WRONG.size() + " wrong");
	for (double share : new double[] { 0.5, 0.99, 0.999, 1 }) {
		text.append(String.format(Locale.ROOT, ", p%s %.1f ms", (share == 1) ? "100" : Double.toString(share * 100).replaceFirst("\\.0$", ""),
				sorted.get((int) Math.ceil(share * (sorted.size() - 1))) / 1e6));
	}
	return text.toString();
}

static final class Worker {

	private final QuorateClient client;

	private final String prefix;

	/* Of each key, the versions that it may hold; 0 is none. */
	private final List<List<Long>> possible = new ArrayList<>();

	private long version;

	Worker(QuorateClient client, String prefix) {
		this.client = client;
		this.prefix = prefix;
		for (int key = 0; key < KEYS; key++) {
			this.possible.add(List.of(0L));
		}
	}

	Void run(long first, long interval, Path end) {
		long due = first;
		for (int number = 0; !Files.exists(end); number++) {
			for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
				LockSupport.parkNanos(left);
			}
			int key = number % KEYS;
			if (number / KEYS % 2 == 0) {
				write(key);
			}
			else {
				read(key);
			}
			// From when it was due: a request that waited for the one before it counts that.
			NANOS.add(System.nanoTime() - due);
			due += interval;
		}
		for (int key = 0; key < KEYS; key++) {
			readAtLast(key);
		}
		return null;
	}

	/** What cannot be read now is read again: a key that nobody has looked at in the end may be lost. */
	private void readAtLast(int key) {
		for (int attempt = 1; !read(key); attempt++) {
			if (attempt == ATTEMPTS) {
				WRONG.add(key(key) + " could not be read in the end");
				return;
			}
			LockSupport.parkNanos(1_000_000_000);
		}
	}

	private void write(int key) {
		long next = ++this.version;
		try {
			this.client.put(key(key), content(key, next));
			ANSWERS.merge("PUT 201", 1, Integer::sum);
			this.possible.set(key, List.of(next));
		}
		catch (OutcomeUnknownException unknown) {
			failed("PUT", unknown);
			List<Long> either = new ArrayList<>(this.possible.get(key));
			either.add(next);
			this.possible.set(key, either);
		}
		catch (QuorateException notWritten) {
			failed("PUT", notWritten);
		}
	}

	/** Says whether there was an answer. */
	private boolean read(int key) {
		Optional<Entity> entity;
		try {
			entity = this.client.get(key(key));
		}
		catch (QuorateException failure) {
			failed("GET", failure);
			return false;
		}
		ANSWERS.merge(entity.isPresent() ? "GET 200" : "GET 404", 1, Integer::sum);
		List<Long> may = this.possible.get(key);
		if (entity.isEmpty() && !may.contains(0L)) {
			WRONG.add("GET 404 of " + key(key));
		}
		else if (entity.isPresent()
				&& may.stream().noneMatch((version) -> Arrays.equals(entity.get().value(), content(key, version)))) {
			byte[] value = entity.get().value();
			WRONG.add("GET of " + key(key) + " is " + new String(value, 0, Math.min(60, value.length), StandardCharsets.UTF_8)
					+ ", possible are the versions " + may);
		}
		return true;
	}

	private static void failed(String method, QuorateException failure) {
		String answer = failure.problem().map((problem) -> Integer.toString(problem.status())).orElse("lost");
		ANSWERS.merge(method + " " + answer, 1, Integer::sum);
		FAILED.add(method + " " + failure);
	}

	private String key(int key) {
		return this.prefix + "-" + key;
	}

	private byte[] content(int key, long version) {
		byte[] head = (key(key) + " version " + version + " ").getBytes(StandardCharsets.UTF_8);
		byte[] content = Arrays.copyOf(head, SIZE);
		Arrays.fill(content, head.length, SIZE, (byte) ('a' + version % 26));
		return content;
	}

}
