import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/*
 * The tour that tools/tour starts. Arguments: the script that starts a node, the file of stanzas, and the origin of that
 * file. It ends with status 1 at the first broken promise.
 */

static final int CONNECTIONS = 16;

static final Duration STEP_LIMIT = Duration.ofMinutes(5);

static final Pattern LINE = Pattern.compile("\\{\"key\":\"([^\"\\\\]*)\",\"value\":\"([^\"]*)\",\"etag\":.*\\}");

final HttpClient http = HttpClient.newBuilder()
	.version(HttpClient.Version.HTTP_1_1)
	.connectTimeout(Duration.ofSeconds(5))
	.build();

Path script;

Path directory;

int port;

Process node;

void main(String[] arguments) throws Exception {
	try {
		tour(arguments);
	}
	catch (IllegalStateException | java.util.concurrent.ExecutionException failure) {
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
	NavigableMap<String, byte[]> records = timed("Read the stanzas of " + arguments[2],
			() -> parse(Files.readString(Path.of(arguments[1]), StandardCharsets.ISO_8859_1)), this::describe);
	timed("Started a node", this::start, (took) -> "on port " + this.port + ", data in " + this.directory);
	timed("Put every record", () -> each(records.keySet(), (key) -> put(key, records.get(key))), this::rate);
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
	this.node = new ProcessBuilder(this.script.toString(), "--server.port=" + this.port,
			"--quorate.storage.directory=" + this.directory.resolve("data"))
		.redirectErrorStream(true)
		.redirectOutput(ProcessBuilder.Redirect.appendTo(this.directory.resolve("node.log").toFile()))
		.start();
	for (int attempt = 0; attempt < 600 && this.node.isAlive(); attempt++) {
		try {
			if (send(request("/v0/status").GET()).statusCode() == 200) {
				return attempt;
			}
		}
		catch (IOException notYet) {
			// the port is not open
		}
		Thread.sleep(100);
	}
	throw new IllegalStateException("the node did not start:\n" + Files.readString(this.directory.resolve("node.log")));
}

void put(String key, byte[] value) throws Exception {
	expect(201, send(request("/v0/entity?id=" + encode(key)).PUT(BodyPublishers.ofByteArray(value))), "PUT " + key);
}

void compare(String key, byte[] expected) throws Exception {
	HttpResponse<byte[]> response = send(request("/v0/entity?id=" + encode(key)).GET());
	expect(200, response, "GET " + key);
	require(Arrays.equals(expected, response.body()), "GET " + key + " gave other bytes than were put");
}

byte[] eitherOf(String key, byte[] old) throws Exception {
	HttpResponse<byte[]> response = send(request("/v0/entity?id=" + encode(key)).GET());
	expect(200, response, "GET " + key);
	require(Arrays.equals(old, response.body()) || Arrays.equals(overwritten(old), response.body()),
			"GET " + key + " gave neither the old nor the new value");
	return response.body();
}

byte[] overwritten(byte[] value) {
	return (new String(value, StandardCharsets.ISO_8859_1) + "\nOverwritten: yes")
		.getBytes(StandardCharsets.ISO_8859_1);
}

int scanAll(NavigableMap<String, byte[]> records) throws Exception {
	HttpResponse<Stream<String>> response = this.http.send(
			request("/v0/entities?start=%20").header("Accept", "application/x-ndjson").GET().build(),
			BodyHandlers.ofLines());
	require(response.statusCode() == 200, "the scan was answered " + response.statusCode());
	AtomicInteger count = new AtomicInteger();
	AtomicBoolean isWhole = new AtomicBoolean();
	var expected = List.copyOf(records.keySet()).iterator();
	try (Stream<String> lines = response.body()) {
		lines.forEach((line) -> {
			if (line.equals("{\"last\":true,\"records\":" + count.get() + "}")) {
				isWhole.set(true);
				return;
			}
			Matcher matcher = LINE.matcher(line);
			require(matcher.matches(), "a line of the scan is not as documented: " + line);
			require(expected.hasNext(), "the scan gave a record too many: " + matcher.group(1));
			String key = expected.next();
			require(key.equals(matcher.group(1)), "the scan gave " + matcher.group(1) + " in the place of " + key);
			require(Arrays.equals(records.get(key), Base64.getDecoder().decode(matcher.group(2))),
					"the scan gave other bytes of " + key + " than were put");
			count.incrementAndGet();
		});
	}
	require(!expected.hasNext() && isWhole.get(), "the scan ended early");
	return count.get();
}

int scanRange(NavigableMap<String, byte[]> records, String start, String end) throws Exception {
	HttpResponse<byte[]> response = send(request("/v0/entities?start=" + start + "&end=" + end).GET());
	expect(200, response, "the scan");
	StringBuilder expected = new StringBuilder();
	var range = records.subMap(start, end);
	range.forEach((key, value) -> expected.append(key)
		.append('\n')
		.append(new String(value, StandardCharsets.ISO_8859_1)));
	require(expected.toString().equals(new String(response.body(), StandardCharsets.ISO_8859_1)),
			"the scan gave other bytes than were put");
	return range.size();
}

int delete(NavigableMap<String, byte[]> records) throws Exception {
	List<String> keys = new ArrayList<>(records.keySet());
	List<String> some = new ArrayList<>();
	for (int i = 0; i < keys.size(); i += 50) {
		some.add(keys.get(i));
	}
	return each(some, (key) -> {
		expect(202, send(request("/v0/entity?id=" + encode(key)).DELETE()), "DELETE " + key);
		expect(404, send(request("/v0/entity?id=" + encode(key)).GET()), "GET of deleted " + key);
		records.remove(key);
	});
}

/* A later read must find acknowledged overwrites; for those without an answer it may find the old or the new value. */
Set<String> killWhileOverwriting(NavigableMap<String, byte[]> records) throws Exception {
	List<String> keys = List.copyOf(records.keySet());
	AtomicInteger next = new AtomicInteger();
	Set<String> unknown = ConcurrentHashMap.newKeySet();
	CountDownLatch some = new CountDownLatch(keys.size() / 4);
	try (ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
		for (int i = 0; i < CONNECTIONS; i++) {
			writers.submit(() -> {
				while (true) {
					String key = keys.get(next.getAndIncrement());
					byte[] value = overwritten(records.get(key));
					try {
						put(key, value);
						records.put(key, value);
						some.countDown();
					}
					catch (IOException killed) {
						unknown.add(key);
						return null;
					}
				}
			});
		}
		require(some.await(2, TimeUnit.MINUTES), "the writes did not go on");
		this.node.destroyForcibly().waitFor();
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

HttpRequest.Builder request(String target) {
	return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.port + target))
		.timeout(Duration.ofSeconds(30));
}

HttpResponse<byte[]> send(HttpRequest.Builder request) throws IOException, InterruptedException {
	HttpRequest built = request.build();
	try {
		return this.http.send(built, BodyHandlers.ofByteArray());
	}
	catch (HttpTimeoutException late) {
		throw new IllegalStateException("no answer within 30 s to " + built.method() + " " + built.uri(), late);
	}
}

String encode(String key) {
	return URLEncoder.encode(key, StandardCharsets.UTF_8).replace("+", "%20");
}

void expect(int status, HttpResponse<byte[]> response, String what) {
	require(response.statusCode() == status, "%s was answered %d instead of %d: %s".formatted(what,
			response.statusCode(), status, new String(response.body(), StandardCharsets.UTF_8)));
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
