import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.quorate.client.NoNodeAnsweredException;
import io.quorate.client.OutcomeUnknownException;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.client.RangeIterator;
import io.quorate.client.RangeQuery;
import io.quorate.client.RangeRecord;
import io.quorate.client.UnavailableException;

/*
 * The tour that tools/tour starts, with the client for Java. Arguments: the script that starts a node, the file of stanzas,
 * and the origin of that file. It ends with status 1 at the first broken promise. Each call is one request: what the node
 * refuses is a broken promise, also if it would not refuse it again.
 */

static final int CONNECTIONS = 16;

static final Duration STEP_LIMIT = Duration.ofMinutes(5);

static final Duration PATIENCE = Duration.ofSeconds(30);

QuorateClient client;

Path script;

Path directory;

int port;

Process node;

void main(String[] arguments) throws Exception {
	try {
		tour(arguments);
	}
	catch (IllegalStateException | QuorateException | java.util.concurrent.ExecutionException failure) {
		Throwable cause = (failure instanceof java.util.concurrent.ExecutionException) ? failure.getCause() : failure;
		System.err.println("Not as promised: " + cause.getMessage());
		System.exit(1);
	}
}

void tour(String[] arguments) throws Exception {
	this.script = Path.of(arguments[0]);
	this.directory = Files.createTempDirectory("quorate-tour");
	Thread.ofPlatform().daemon().start(this::watch);
	Runtime.getRuntime().addShutdownHook(new Thread(this::cleanUp));
	try (ServerSocket socket = new ServerSocket(0)) {
		this.port = socket.getLocalPort();
	}
	this.client = QuorateClient.builder()
		.endpoints("http://127.0.0.1:" + this.port)
		.connectTimeout(Duration.ofSeconds(5))
		.options((options) -> options.attempts(1).deadline(PATIENCE).stallTimeout(PATIENCE))
		.build();
	NavigableMap<String, byte[]> records = timed("Read the stanzas of " + arguments[2],
			() -> parse(Files.readString(Path.of(arguments[1]), StandardCharsets.ISO_8859_1)), this::describe);
	timed("Started a node", this::start, (took) -> "on port " + this.port + ", data in " + this.directory);
	timed("Put every record", () -> each(records.keySet(), (key) -> this.client.put(key, records.get(key))), this::rate);
	timed("Got every record, compared", () -> each(records.keySet(), (key) -> compare(key, records.get(key))),
			this::rate);
	timed("Scanned everything as NDJSON, compared", () -> scanAll(records), this::rate);
	timed("Scanned the range from 'lib' to 'lic', compared", () -> scanRange(records, "lib", "lic"), this::rate);
	int deleted = timed("Deleted every 50th record", () -> delete(records), this::rate);
	Set<String> unknown = timed("Overwrote records and killed the node with SIGKILL meanwhile",
			() -> killWhileOverwriting(records), (keys) -> keys.size() + " writes were under way, unanswered");
	timed("Restarted the node", this::start, (took) -> "");
	timed("Got every record, compared", () -> each(records.keySet(), (key) -> {
		if (!unknown.contains(key)) {
			compare(key, records.get(key));
		}
	}), this::rate);
	timed("Settled the unanswered ones", () -> each(unknown, (key) -> records.put(key, eitherOf(key, records.get(key)))),
			this::rate);
	timed("Scanned everything as NDJSON, compared", () -> scanAll(records), this::rate);
	System.out.printf(Locale.ROOT, "Everything is correct: %,d records are there, %,d deleted ones are not.%n", records.size(),
			deleted);
}

NavigableMap<String, byte[]> parse(String text) {
	Map<String, List<String>> byName = new TreeMap<>();
	for (String stanza : text.split("\n\n+")) {
		if (stanza.startsWith("Package: ")) {
			byName.computeIfAbsent(field(stanza, "Package"), (_) -> new ArrayList<>()).add(stanza);
		}
	}
	NavigableMap<String, byte[]> records = new TreeMap<>();
	byName.forEach((name, stanzas) -> {
		for (String stanza : stanzas) {
			String key = (stanzas.size() == 1) ? name : name + "=" + field(stanza, "Version");
			records.put(key, stanza.getBytes(StandardCharsets.ISO_8859_1));
		}
	});
	return java.util.Collections.synchronizedNavigableMap(records);
}

String field(String stanza, String name) {
	Matcher matcher = Pattern.compile("(?m)^" + name + ": (.*)$").matcher(stanza);
	return matcher.find() ? matcher.group(1) : "";
}

int start() throws Exception {
	this.node = new ProcessBuilder(this.script.toString(), "server", "--server.port=" + this.port,
			"--quorate.storage.directory=" + this.directory.resolve("data"))
		.redirectErrorStream(true)
		.redirectOutput(ProcessBuilder.Redirect.appendTo(this.directory.resolve("node.log").toFile()))
		.start();
	for (int attempt = 0; attempt < 600 && this.node.isAlive(); attempt++) {
		try {
			this.client.status();
			return attempt;
		}
		catch (UnavailableException notYet) {
			// the port is not open, or the node not ready
		}
		Thread.sleep(100);
	}
	throw new IllegalStateException("the node did not start:\n" + Files.readString(this.directory.resolve("node.log")));
}

byte[] get(String key) {
	return this.client.get(key)
		.orElseThrow(() -> new IllegalStateException("GET " + key + " gave no value"))
		.value();
}

void compare(String key, byte[] expected) {
	require(Arrays.equals(expected, get(key)), "GET " + key + " gave other bytes than were put");
}

byte[] eitherOf(String key, byte[] old) {
	byte[] value = get(key);
	require(Arrays.equals(old, value) || Arrays.equals(overwritten(old), value),
			"GET " + key + " gave neither the old nor the new value");
	return value;
}

byte[] overwritten(byte[] value) {
	return (new String(value, StandardCharsets.ISO_8859_1) + "\nOverwritten: yes")
		.getBytes(StandardCharsets.ISO_8859_1);
}

/* In one answer; the client refuses one without its last line, or with a line that is not as documented. */
int scanAll(NavigableMap<String, byte[]> records) {
	int count = 0;
	var expected = List.copyOf(records.keySet()).iterator();
	try (RangeIterator<RangeRecord> scan = this.client.range(RangeQuery.all().pageSize(Integer.MAX_VALUE))) {
		while (scan.hasNext()) {
			RangeRecord record = scan.next();
			require(expected.hasNext(), "the scan gave a record too many: " + record.key());
			String key = expected.next();
			require(key.equals(record.key()), "the scan gave " + record.key() + " in the place of " + key);
			require(Arrays.equals(records.get(key), record.value()),
					"the scan gave other bytes of " + key + " than were put");
			count++;
		}
	}
	require(!expected.hasNext(), "the scan ended early");
	return count;
}

/* In the form that the client does not ask for. */
int scanRange(NavigableMap<String, byte[]> records, String start, String end) throws IOException {
	StringBuilder expected = new StringBuilder();
	var range = records.subMap(start, end);
	range.forEach((key, value) -> expected.append(key)
		.append('\n')
		.append(new String(value, StandardCharsets.ISO_8859_1)));
	URLConnection scan = URI.create("http://127.0.0.1:" + this.port + "/v0/entities?start=" + start + "&end=" + end)
		.toURL()
		.openConnection();
	scan.setReadTimeout((int) PATIENCE.toMillis());
	scan.setRequestProperty("Accept", "application/octet-stream");
	try (InputStream answer = scan.getInputStream()) {
		require(expected.toString().equals(new String(answer.readAllBytes(), StandardCharsets.ISO_8859_1)),
				"the scan gave other bytes than were put");
	}
	return range.size();
}

int delete(NavigableMap<String, byte[]> records) throws Exception {
	List<String> keys = new ArrayList<>(records.keySet());
	List<String> some = new ArrayList<>();
	for (int i = 0; i < keys.size(); i += 50) {
		some.add(keys.get(i));
	}
	return each(some, (key) -> {
		this.client.delete(key);
		require(this.client.get(key).isEmpty(), "GET of deleted " + key + " gave a value");
		records.remove(key);
	});
}

/*
 * A later read must find acknowledged overwrites; for those whose outcome the client does not know it may find the old or the
 * new value, and those of which it says that they have not happened it must not find.
 */
Set<String> killWhileOverwriting(NavigableMap<String, byte[]> records) throws Exception {
	List<String> keys = List.copyOf(records.keySet());
	AtomicInteger next = new AtomicInteger();
	Set<String> unknown = ConcurrentHashMap.newKeySet();
	CountDownLatch some = new CountDownLatch(keys.size() / 4);
	List<java.util.concurrent.Future<?>> done = new ArrayList<>();
	try (ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
		for (int i = 0; i < CONNECTIONS; i++) {
			done.add(writers.submit(() -> {
				for (int k = next.getAndIncrement(); k < keys.size(); k = next.getAndIncrement()) {
					String key = keys.get(k);
					byte[] value = overwritten(records.get(key));
					try {
						this.client.put(key, value);
						records.put(key, value);
						some.countDown();
					}
					catch (OutcomeUnknownException killed) {
						unknown.add(key);
						return null;
					}
					catch (NoNodeAnsweredException gone) {
						return null;
					}
				}
				return null;
			}));
		}
		require(some.await(2, TimeUnit.MINUTES), "the writes did not go on");
		this.node.destroyForcibly().waitFor();
	}
	for (var writer : done) {
		writer.get();
	}
	return unknown;
}

int each(Collection<String> keys, Action action) throws Exception {
	var queue = List.copyOf(keys);
	AtomicInteger next = new AtomicInteger();
	List<java.util.concurrent.Future<?>> workers = new ArrayList<>();
	try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
		for (int i = 0; i < CONNECTIONS; i++) {
			workers.add(executor.submit(() -> {
				for (int k = next.getAndIncrement(); k < queue.size(); k = next.getAndIncrement()) {
					action.on(queue.get(k));
				}
				return null;
			}));
		}
	}
	for (var worker : workers) {
		worker.get();
	}
	return queue.size();
}

<T> T timed(String what, Step<T> step, java.util.function.Function<T, String> outcome) throws Exception {
	long began = System.nanoTime();
	this.step = what;
	this.stepEnd = began + STEP_LIMIT.toNanos();
	T result = step.run();
	this.millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
	System.out.printf(Locale.ROOT, "%-66s %,9d ms  %s%n", what, this.millis, outcome.apply(result));
	return result;
}

long millis;

volatile String step = "";

volatile long stepEnd = System.nanoTime() + STEP_LIMIT.toNanos();

/* A node that stops answering in the middle of a body would block the tour for ever. */
void watch() {
	while (true) {
		try {
			Thread.sleep(1000);
		}
		catch (InterruptedException ex) {
			return;
		}
		if (System.nanoTime() - this.stepEnd > 0) {
			System.err.println("Not as promised: not done within " + STEP_LIMIT.toSeconds() + " s: " + this.step);
			System.exit(1);
		}
	}
}

String rate(int count) {
	return String.format(Locale.ROOT, "%,d records, %,.0f a second", count, count * 1000.0 / this.millis);
}

String describe(NavigableMap<String, byte[]> records) {
	long bytes = records.values().stream().mapToLong((value) -> value.length).sum();
	int largest = records.values().stream().mapToInt((value) -> value.length).max().orElse(0);
	return String.format(Locale.ROOT, "%,d records, %,.1f MiB, the largest %,d bytes", records.size(),
			bytes / 1048576.0, largest);
}

void require(boolean condition, String otherwise) {
	if (!condition) {
		throw new IllegalStateException(otherwise);
	}
}

void cleanUp() {
	try {
		if (this.node != null) {
			this.node.destroyForcibly().waitFor();
		}
		try (Stream<Path> files = Files.walk(this.directory)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.delete(file);
			}
		}
	}
	catch (IOException ex) {
		throw new UncheckedIOException(ex);
	}
	catch (InterruptedException ex) {
		Thread.currentThread().interrupt();
	}
}

interface Step<T> {

	T run() throws Exception;

}

interface Action {

	void on(String key) throws Exception;

}
