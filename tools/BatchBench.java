import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.quorate.client.Entity;
import io.quorate.client.Get;
import io.quorate.client.Item;
import io.quorate.client.Put;
import io.quorate.client.QuorateClient;
import io.quorate.client.Written;

/*
 * The load that tools/bench-batch starts. Arguments: name=value. Each connection has a virtual thread and one request under
 * way. It ends with status 1 at the first answer that is not what it should be. What is timed is not sent by the client for
 * Java: it would take processor time from the nodes of the same machine, for a single PUT far more than for one of a batch.
 */

static final int KEYS = 20_000;

/* One batch as large as a body may be by default: 1,000 puts of 11,000 bytes, as base64 with their members. */
static final int LARGE_ITEMS = 1000;

static final int LARGE_VALUE = 11_000;

static final Duration NODE_TIMEOUT = Duration.ofSeconds(30);

static final Duration PATIENCE = Duration.ofSeconds(60);

final Map<String, String> arguments = new HashMap<>();

String text = "";

void main(String[] args) throws Exception {
	for (String arg : args) {
		arguments.put(arg.substring(0, arg.indexOf('=')), arg.substring(arg.indexOf('=') + 1));
	}
	text = "v".repeat(number("value"));
	warmUp();
	throughput();
	fixedWork();
	beside();
	memory();
}

int number(String name) {
	return Integer.parseInt(arguments.get(name));
}

void warmUp() throws Exception {
	closedLoop(false, number("connections"), number("seconds"), Long.MAX_VALUE);
	closedLoop(true, number("batchConnections"), number("seconds"), Long.MAX_VALUE);
}

/** As many puts as the connections allow, in turn. */
void throughput() throws Exception {
	System.out.printf("%n## Puts a second, as fast as %d connections of PUTs and %d of batches of %d allow%n%n",
			number("connections"), number("batchConnections"), number("items"));
	System.out.println("| round | PUT /s | batch /s | ratio | PUT CPU us | batch CPU us | ratio |");
	System.out.println("|---|---|---|---|---|---|---|");
	List<Double> ratios = new ArrayList<>();
	for (int round = 1; round <= number("rounds"); round++) {
		boolean isBatchFirst = round % 2 == 0;
		Work first = closedLoop(isBatchFirst, isBatchFirst ? number("batchConnections") : number("connections"),
				number("seconds"), Long.MAX_VALUE);
		Work second = closedLoop(!isBatchFirst, isBatchFirst ? number("connections") : number("batchConnections"),
				number("seconds"), Long.MAX_VALUE);
		Work puts = isBatchFirst ? second : first;
		Work batches = isBatchFirst ? first : second;
		ratios.add(batches.perSecond() / puts.perSecond());
		System.out.printf(Locale.ROOT, "| %d | %.0f | %.0f | %.2f | %.0f | %.0f | %.2f |%n", round, puts.perSecond(),
				batches.perSecond(), ratios.getLast(), puts.cpuMicros(), batches.cpuMicros(),
				batches.cpuMicros() / puts.cpuMicros());
	}
	System.out.printf(Locale.ROOT, "%nMedian ratio of puts a second: %.2f (bar: 2.5)%n", median(ratios));
}

/** The same number of puts, either way. */
void fixedWork() throws Exception {
	System.out.printf("%n## %d puts: one by one on %d connections, and in batches of %d on %d%n%n", number("fixed"),
			number("connections"), number("items"), number("batchConnections"));
	System.out.println("| round | PUT s | batch s | ratio | PUT CPU s | batch CPU s | ratio |");
	System.out.println("|---|---|---|---|---|---|---|");
	for (int round = 1; round <= number("rounds"); round++) {
		Work puts = closedLoop(false, number("connections"), 600, number("fixed"));
		Work batches = closedLoop(true, number("batchConnections"), 600, number("fixed"));
		System.out.printf(Locale.ROOT, "| %d | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |%n", round, puts.seconds,
				batches.seconds, batches.seconds / puts.seconds, puts.cpuSeconds, batches.cpuSeconds,
				batches.cpuSeconds / puts.cpuSeconds);
	}
}

/** Single PUTs at a constant rate: alone, beside other PUTs, and beside as many in batches. */
void beside() throws Exception {
	System.out.printf("%n## %d PUTs a second: alone, and beside %d puts a second%n%n", number("probeRate"), number("rate"));
	System.out.println("| round | beside | p50 ms | p99 ms | p99.9 ms | of the puts beside, done |");
	System.out.println("|---|---|---|---|---|---|");
	List<Double> toAlone = new ArrayList<>();
	List<Double> toPuts = new ArrayList<>();
	for (int round = 1; round <= number("rounds"); round++) {
		Map<String, Double> p99 = new HashMap<>();
		for (String other : List.of("nothing", "PUTs", "batches")) {
			AtomicBoolean over = new AtomicBoolean();
			AtomicLong done = new AtomicLong();
			try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
				boolean isBatch = other.equals("batches");
				int perRequest = isBatch ? number("items") : 1;
				int connections = other.equals("nothing") ? 0
						: isBatch ? number("batchConnections") : number("connections");
				List<Future<?>> others = new ArrayList<>();
				for (int i = 0; i < connections; i++) {
					int at = i;
					long periodNanos = TimeUnit.SECONDS.toNanos(1) * perRequest * connections / number("rate");
					others.add(executor.submit(() -> {
						paced(at, periodNanos * at / connections, periodNanos, over, (connection) -> {
							done.addAndGet(isBatch ? connection.batch() : connection.put());
							return 0;
						});
						return null;
					}));
				}
				long[] micros = probe();
				over.set(true);
				for (Future<?> future : others) {
					future.get();
				}
				p99.put(other, percentile(micros, 0.99));
				String share = (connections == 0) ? ""
						: "%.0f %%".formatted(100.0 * done.get() / number("rate") / number("seconds"));
				System.out.printf(Locale.ROOT, "| %d | %s | %.2f | %.2f | %.2f | %s |%n", round, other,
						percentile(micros, 0.5), p99.get(other), percentile(micros, 0.999), share);
			}
		}
		toAlone.add(p99.get("batches") / p99.get("nothing"));
		toPuts.add(p99.get("batches") / p99.get("PUTs"));
	}
	System.out.printf(Locale.ROOT, "%nMedian ratio of the p99 beside batches: %.2f to alone, %.2f to beside as many PUTs (bar: 1.3)%n",
			median(toAlone), median(toPuts));
}

/** The bytes in flight at the node of one batch of nearly the largest size. */
void memory() throws Exception {
	byte[] value = new byte[LARGE_VALUE];
	ThreadLocalRandom.current().nextBytes(value);
	List<String> keys = IntStream.range(0, LARGE_ITEMS).mapToObj((i) -> "large-" + i).toList();
	System.out.printf("%n## Bytes in flight at its node (quorate_inflight_bytes, the most of all looks)%n%n");
	System.out.println("| batch | bytes of its values, as base64 | most in flight | ratio |");
	System.out.println("|---|---|---|---|");
	large("puts", keys.stream().map((key) -> Put.of(key, value)).toList(), Written.class);
	large("gets", keys.stream().map(Get::of).toList(), Entity.class);
}

void large(String name, List<? extends Item> items, Class<?> expected) throws Exception {
	long bytes = (long) LARGE_ITEMS * ((LARGE_VALUE + 2) / 3 * 4);
	AtomicBoolean over = new AtomicBoolean();
	try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
			QuorateClient client = QuorateClient.builder()
				.endpoints("http://localhost:" + number("port"))
				.options((options) -> options.attempts(1).nodeTimeout(NODE_TIMEOUT).deadline(PATIENCE).stallTimeout(PATIENCE))
				.build()) {
		Future<Double> most = executor.submit(() -> mostInFlight(over));
		try {
			for (int i = 0; i < 5; i++) {
				require(client.batch(items).stream().allMatch(expected::isInstance), "items of a large batch failed");
			}
		}
		finally {
			over.set(true);
		}
		System.out.printf(Locale.ROOT, "| %s | %d | %.0f | %.2f |%n", name, bytes, most.get(), most.get() / bytes);
	}
}

/* Meters are nothing that the client for Java reads. */
double mostInFlight(AtomicBoolean over) throws Exception {
	try (HttpClient http = HttpClient.newHttpClient()) {
		HttpRequest request = HttpRequest
			.newBuilder(URI.create("http://localhost:%d/actuator/prometheus".formatted(number("port"))))
			.build();
		double most = 0;
		while (!over.get()) {
			String meters = http.send(request, BodyHandlers.ofString()).body();
			int at = meters.indexOf("\nquorate_inflight_bytes{");
			int end = meters.indexOf('\n', at + 1);
			most = Math.max(most, Double.parseDouble(meters.substring(meters.lastIndexOf(' ', end) + 1, end)));
		}
		return most;
	}
}

/** The latencies of single PUTs at a constant rate, in microseconds, from when each was due. */
long[] probe() throws Exception {
	int connections = 8;
	List<Long> all = Collections.synchronizedList(new ArrayList<>());
	AtomicBoolean over = new AtomicBoolean();
	try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
		List<Future<?>> probes = new ArrayList<>();
		long periodNanos = TimeUnit.SECONDS.toNanos(1) * connections / number("probeRate");
		for (int i = 0; i < connections; i++) {
			int at = i;
			probes.add(executor.submit(() -> {
				paced(at, periodNanos * at / connections, periodNanos, over, (connection) -> {
					connection.put();
					all.add((System.nanoTime() - connection.dueNanos) / 1000);
					return 0;
				});
				return null;
			}));
		}
		Thread.sleep(TimeUnit.SECONDS.toMillis(number("seconds")));
		over.set(true);
		for (Future<?> probe : probes) {
			probe.get();
		}
	}
	long[] sorted = all.stream().mapToLong(Long::longValue).toArray();
	Arrays.sort(sorted);
	return sorted;
}

void paced(int number, long delayNanos, long periodNanos, AtomicBoolean over, Call call) throws Exception {
	try (Connection connection = new Connection(number("port") + number % number("nodes"))) {
		SplittableRandom random = new SplittableRandom(number);
		long slotNanos = System.nanoTime() + delayNanos;
		while (!over.get()) {
			connection.dueNanos = slotNanos + random.nextLong(periodNanos);
			for (long wait = connection.dueNanos - System.nanoTime(); wait > 0; wait = connection.dueNanos - System.nanoTime()) {
				LockSupport.parkNanos(wait);
			}
			call.on(connection);
			slotNanos += periodNanos;
		}
	}
}

/** Each connection sends the next request when it has the answer to the one before. */
Work closedLoop(boolean isBatch, int connections, int seconds, long most) throws Exception {
	AtomicLong begun = new AtomicLong();
	AtomicLong done = new AtomicLong();
	double cpuBefore = cpuSeconds();
	long began = System.nanoTime();
	long end = began + TimeUnit.SECONDS.toNanos(seconds);
	int perRequest = isBatch ? number("items") : 1;
	try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
		List<Future<?>> workers = new ArrayList<>();
		for (int i = 0; i < connections; i++) {
			int port = number("port") + i % number("nodes");
			workers.add(executor.submit(() -> {
				try (Connection connection = new Connection(port)) {
					while (System.nanoTime() < end && begun.addAndGet(perRequest) <= most) {
						done.addAndGet(isBatch ? connection.batch() : connection.put());
					}
				}
				return null;
			}));
		}
		for (Future<?> worker : workers) {
			worker.get();
		}
	}
	return new Work(done.get(), (System.nanoTime() - began) / 1e9, cpuSeconds() - cpuBefore);
}

/** The processor time of all nodes. */
double cpuSeconds() throws IOException {
	long ticks = 0;
	for (String process : arguments.get("processes").split(",")) {
		String stat = Files.readString(Path.of("/proc", process, "stat"));
		String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
		ticks += Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
	}
	return (double) ticks / number("hertz");
}

static double percentile(long[] sorted, double share) {
	return sorted[(int) Math.min(sorted.length - 1, Math.floor(sorted.length * share))] / 1000.0;
}

static double median(List<Double> values) {
	List<Double> sorted = values.stream().sorted().toList();
	return sorted.get(sorted.size() / 2);
}

static void require(boolean isTrue, String otherwise) {
	if (!isTrue) {
		throw new IllegalStateException(otherwise);
	}
}

static String key() {
	return "key-%08d".formatted(ThreadLocalRandom.current().nextInt(KEYS));
}

interface Call {

	int on(Connection connection) throws IOException;

}

record Work(long puts, double seconds, double cpuSeconds) {

	double perSecond() {
		return this.puts / this.seconds;
	}

	double cpuMicros() {
		return this.cpuSeconds / this.puts * 1e6;
	}

}

/** One connection, with no more of HTTP than it needs: the client is to cost little. */
class Connection implements AutoCloseable {

	static final String WRITTEN = "\"status\":201";

	final Socket socket;

	final InputStream in;

	final OutputStream out;

	long dueNanos;

	Connection(int port) throws IOException {
		this.socket = new Socket("127.0.0.1", port);
		this.socket.setTcpNoDelay(true);
		this.in = new BufferedInputStream(this.socket.getInputStream(), 1 << 16);
		this.out = this.socket.getOutputStream();
	}

	int put() throws IOException {
		send("PUT /v0/entity?id=" + key(), text);
		require(head().startsWith("HTTP/1.1 201"), "a PUT was not answered 201");
		return 1;
	}

	int batch() throws IOException {
		StringBuilder body = new StringBuilder();
		for (int i = 0; i < number("items"); i++) {
			body.append("{\"op\":\"put\",\"id\":\"").append(key()).append("\",\"text\":\"").append(text).append("\"}\n");
		}
		send("POST /v0/batch", body.toString());
		String head = head();
		require(head.startsWith("HTTP/1.1 200"), "a batch was not answered 200: " + head);
		StringBuilder answer = new StringBuilder();
		for (int size = chunkSize(); size > 0; size = chunkSize()) {
			answer.append(new String(this.in.readNBytes(size), StandardCharsets.ISO_8859_1));
			line();
		}
		line();
		int done = 0;
		for (int at = answer.indexOf(WRITTEN); at >= 0; at = answer.indexOf(WRITTEN, at + 1)) {
			done++;
		}
		require(done == number("items"), "items of a batch failed");
		return done;
	}

	private void send(String request, String body) throws IOException {
		this.out.write((request + " HTTP/1.1\r\nHost: localhost\r\nQuorate-Timeout: 30000\r\nContent-Length: " + body.length()
				+ "\r\n\r\n" + body)
			.getBytes(StandardCharsets.ISO_8859_1));
	}

	private String head() throws IOException {
		String status = line();
		while (!line().isEmpty()) {
			// The fields of the answer.
		}
		return status;
	}

	private int chunkSize() throws IOException {
		return Integer.parseInt(line(), 16);
	}

	private String line() throws IOException {
		StringBuilder line = new StringBuilder();
		for (int b = this.in.read(); b != '\n'; b = this.in.read()) {
			require(b >= 0, "the connection ended");
			if (b != '\r') {
				line.append((char) b);
			}
		}
		return line.toString();
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
