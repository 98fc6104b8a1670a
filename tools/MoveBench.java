import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
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
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.quorate.client.Entity;
import io.quorate.client.Put;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.client.Written;

/*
 * The cluster that tools/bench-move fills, loads at a constant rate, half PUTs and half GETs of keys that are all there, and has
 * grow. Arguments: name=value. Latency counts from the instant at which a request was due, and a request belongs to the phase in
 * which it was due. No request is repeated.
 */

static final int PARTITIONS = 16_384;

static final int BATCH = 100;

static final int WORKERS = 32;

static final int CONNECT_SECONDS = 2;

static final Duration PATIENCE = Duration.ofSeconds(20);

static final Duration START = Duration.ofMinutes(3);

static final Duration CHANGE = Duration.ofHours(1);

static final Pattern BYTES_MOVED = Pattern.compile("(?m)^quorate_move_bytes_total(?:\\{[^}]*})? ([0-9.E+]+)$");

static final Pattern PLANNED = Pattern.compile("\"plan\":\\{.*\"partitions\":(\\d+),\"bytes\":(\\d+)}");

static final Pattern DECIDED = Pattern.compile("version \\d+ is decided, (\\d+) ms after this node proposed one");

final Map<String, String> arguments = new HashMap<>();

final List<Process> nodes = new ArrayList<>();

final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(PATIENCE).build();

byte[] value = {};

void main(String[] args) throws Exception {
	for (String arg : args) {
		arguments.put(arg.substring(0, arg.indexOf('=')), arg.substring(arg.indexOf('=') + 1));
	}
	value = new byte[number("value")];
	ThreadLocalRandom.current().nextBytes(value);
	Runtime.getRuntime().addShutdownHook(new Thread(() -> nodes.forEach(Process::destroyForcibly)));
	for (int i = 0; i < number("from"); i++) {
		start(i);
	}
	for (int i = 0; i < number("from"); i++) {
		awaitStatus(i, "/actuator/health/readiness");
	}
	long began = System.nanoTime();
	fill();
	System.out.printf(Locale.ROOT, "%n%d keys of %d bytes were written in %.0f s.%n%n", number("entries"), value.length,
			seconds(System.nanoTime() - began));
	List<String> balances = new ArrayList<>();
	try (Load warmUp = new Load(number("warmUpRate"))) {
		pause(number("warmUp"));
	}
	try (Load load = new Load(number("rate"))) {
		pause(CONNECT_SECONDS);
		System.out.println("| nodes | phase | seconds | requests | other answers | p50 ms | p99 ms | p99.9 ms | p99 to before |"
				+ " decision ms | answer ms | moved MB | of what must move | MiB/s | processors |");
		System.out.println("|---|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
		for (int i = number("from"); i < number("to"); i++) {
			grow(i, load);
			balances.add(balance(i + 1));
		}
	}
	System.out.println("\n| nodes | partitions of each member: mean | least | most | most to mean | in the order of the members |");
	System.out.println("|---|---:|---:|---:|---:|---|");
	balances.forEach(System.out::println);
}

/** Has one more node join, between two times of nothing but load. */
void grow(int node, Load load) throws Exception {
	Phase before = load.phase();
	pause(number("seconds"));
	Figures calm = load.figures(before);
	print(node, "before", calm, calm, "||||");
	Phase starting = load.phase();
	start(node);
	awaitStatus(node, "/actuator/health/liveness");
	pause(number("settle"));
	print(node, "the node starts", load.figures(starting), calm, "||||");
	double movedBefore = moved(node);
	String now = get(0, "/actuator/cluster");
	Phase moving = load.phase();
	String answer = post(0, "/actuator/cluster/add", "{\"version\":%s,\"member\":\"n%d@127.0.0.1:%d\"}"
		.formatted(field(now, "version"), node, number("internodePort") + node));
	double answered = seconds(System.nanoTime() - moving.began) * 1000;
	String decision = DECIDED.matcher(Files.readString(Path.of(arguments.get("data"), "n0", "log")))
		.results()
		.map((line) -> line.group(1))
		.reduce("-", (_, last) -> last);
	Matcher planned = PLANNED.matcher(answer);
	require(planned.find(), answer);
	long deadline = System.nanoTime() + CHANGE.toNanos();
	while (!field(get(0, "/actuator/cluster"), "state").equals("stable")) {
		require(System.nanoTime() < deadline, "the change does not end: " + get(0, "/actuator/cluster"));
		LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
	}
	Figures busy = load.figures(moving);
	double bytes = moved(node + 1) - movedBefore;
	double must = (double) number("entries") * (key(0).length() + value.length) * Integer.parseInt(planned.group(1)) / PARTITIONS;
	print(node + 1, "keys move", busy, calm, String.format(Locale.ROOT, "%s | %.0f | %.0f | %.2f | %.1f |", decision, answered,
			bytes / 1e6, bytes / must, bytes / busy.seconds() / (1 << 20)));
	Phase after = load.phase();
	pause(number("seconds"));
	print(node + 1, "after", load.figures(after), calm, "||||");
}

void print(int count, String phase, Figures figures, Figures before, String rest) {
	System.out.printf(Locale.ROOT, "| %d | %s | %.1f | %d | %s | %.2f | %.2f | %.2f | %.2f | %s %.2f |%n", count, phase,
			figures.seconds(), figures.count(), figures.others(), figures.millis(0.5), figures.millis(0.99),
			figures.millis(0.999), figures.millis(0.99) / before.millis(0.99), rest.equals("||||") ? "| | | | |" : rest,
			figures.processors());
	System.out.flush();
}

/** The share of the ring that each member has. */
String balance(int count) throws Exception {
	String cluster = get(0, "/actuator/cluster");
	Matcher members = Pattern.compile("\"(n\\d+)\":\\{[^}]*\"partitions\":(\\d+)").matcher(cluster.replaceFirst("\"change\".*", ""));
	Map<String, Integer> partitions = new TreeMap<>();
	while (members.find()) {
		partitions.put(members.group(1), Integer.valueOf(members.group(2)));
	}
	double mean = partitions.values().stream().mapToInt(Integer::intValue).average().orElseThrow();
	return String.format(Locale.ROOT, "| %d | %.0f | %d | %d | %.3f | %s |", count, mean, Collections.min(partitions.values()),
			Collections.max(partitions.values()), Collections.max(partitions.values()) / mean,
			partitions.values().stream().map(String::valueOf).collect(Collectors.joining(" ")));
}

int number(String name) {
	return Integer.parseInt(arguments.get(name));
}

int port(int node) {
	return number("port") + node;
}

void start(int node) throws IOException {
	String members = IntStream.range(0, number("from"))
		.mapToObj((i) -> "n%d@127.0.0.1:%d".formatted(i, number("internodePort") + i))
		.collect(Collectors.joining(","));
	Path directory = Files.createDirectories(Path.of(arguments.get("data"), "n" + node));
	List<String> command = new ArrayList<>(List.of(arguments.get("node"), "server", "--quorate.node.id=n" + node,
			"--server.port=" + port(node), "--quorate.storage.directory=" + directory.resolve("data"),
			"--quorate.cluster.members=" + members));
	if (node >= number("from")) {
		command.add("--quorate.cluster.join=n%d@127.0.0.1:%d".formatted(node, number("internodePort") + node));
	}
	Arrays.stream(arguments.get("properties").split("\n")).filter((word) -> !word.isEmpty()).forEach(command::add);
	nodes.add(new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(directory.resolve("log").toFile()).start());
}

void awaitStatus(int node, String path) throws Exception {
	long deadline = System.nanoTime() + START.toNanos();
	while (true) {
		require(nodes.get(node).isAlive() && System.nanoTime() < deadline, "n%d does not start: %s".formatted(node,
				Files.readString(Path.of(arguments.get("data"), "n" + node, "log"))));
		try {
			if (http.send(request(node, path).build(), BodyHandlers.discarding()).statusCode() == 200) {
				return;
			}
		}
		catch (IOException absent) {
			// It does not listen yet.
		}
		LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
	}
}

/** Writes all keys, through all nodes. */
void fill() throws Exception {
	int entries = number("entries");
	int parts = 2 * number("from");
	try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
		List<Future<Void>> done = new ArrayList<>();
		for (int i = 0; i < parts; i++) {
			int part = i;
			done.add(executor.submit(() -> {
				try (QuorateClient client = client(part % number("from"))) {
					for (int first = part * BATCH; first < entries; first += parts * BATCH) {
						List<Put> batch = IntStream.range(first, Math.min(first + BATCH, entries))
							.mapToObj((each) -> Put.of(key(each), value))
							.toList();
						require(client.batch(batch).stream().allMatch(Written.class::isInstance), "a put failed");
					}
				}
				return null;
			}));
		}
		for (Future<Void> part : done) {
			part.get();
		}
	}
}

QuorateClient client(int node) {
	return QuorateClient.builder()
		.endpoints("http://127.0.0.1:" + port(node))
		.options((options) -> options.attempts(1).nodeTimeout(PATIENCE).deadline(PATIENCE).stallTimeout(PATIENCE))
		.build();
}

static String key(int number) {
	return "key-%09d".formatted(number);
}

/** Bytes that the first nodes have received in changes of members since they started. */
double moved(int count) throws Exception {
	double sum = 0;
	for (int i = 0; i < count; i++) {
		Matcher bytes = BYTES_MOVED.matcher(get(i, "/actuator/prometheus"));
		sum += bytes.find() ? Double.parseDouble(bytes.group(1)) : 0;
	}
	return sum;
}

/** Seconds of processor time of all nodes. */
double cpuSeconds() throws IOException {
	double ticks = 0;
	for (Process node : nodes) {
		String stat = Files.readString(Path.of("/proc", Long.toString(node.pid()), "stat"));
		String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
		ticks += Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
	}
	return ticks / number("hertz");
}

HttpRequest.Builder request(int node, String path) {
	return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port(node) + path)).timeout(PATIENCE);
}

String get(int node, String path) throws Exception {
	return http.send(request(node, path).build(), BodyHandlers.ofString()).body();
}

String post(int node, String path, String body) throws Exception {
	HttpRequest request = request(node, path).header("Content-Type", "application/json")
		.POST(HttpRequest.BodyPublishers.ofString(body))
		.build();
	return http.send(request, BodyHandlers.ofString()).body();
}

static String field(String json, String name) {
	Matcher field = Pattern.compile("\"%s\":\"?([^\",}]+)".formatted(name)).matcher(json);
	require(field.find(), "no %s in %s".formatted(name, json));
	return field.group(1);
}

static void require(boolean isTrue, String otherwise) {
	if (!isTrue) {
		throw new IllegalStateException(otherwise);
	}
}

static void pause(int seconds) throws InterruptedException {
	Thread.sleep(Duration.ofSeconds(seconds));
}

static double seconds(long nanos) {
	return nanos / 1e9;
}

record Phase(long began, double cpu) {
}

record Sample(long due, long nanos, String answer) {
}

record Figures(double seconds, long[] sorted, Map<String, Long> answers, double processors) {

	int count() {
		return this.sorted.length;
	}

	double millis(double part) {
		return this.sorted[Math.max(0, (int) Math.ceil(this.sorted.length * part) - 1)] / 1e6;
	}

	/** Answers that are not what a user expects. */
	String others() {
		return this.answers.isEmpty() ? "0" : this.answers.toString();
	}

}

/** Requests at a constant rate, from the nodes of the beginning, until it is closed. */
final class Load implements AutoCloseable {

	private static final String RIGHT = "";

	private final Queue<Sample> samples = new ConcurrentLinkedQueue<>();

	private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

	private final List<QuorateClient> clients = new ArrayList<>();

	private volatile boolean isOver;

	Load(int rate) {
		long period = TimeUnit.SECONDS.toNanos(1) * WORKERS / rate;
		for (int i = 0; i < number("from"); i++) {
			this.clients.add(client(i));
		}
		long first = System.nanoTime();
		for (int i = 0; i < WORKERS; i++) {
			int worker = i;
			this.executor.submit(() -> work(this.clients.get(worker % this.clients.size()), first + period * worker / WORKERS, period));
		}
	}

	private void work(QuorateClient client, long first, long period) {
		for (long due = first; !this.isOver; due += period) {
			for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
				LockSupport.parkNanos(wait);
			}
			String answer = ask(client, key(ThreadLocalRandom.current().nextInt(number("entries"))));
			this.samples.add(new Sample(due, System.nanoTime() - due, answer));
		}
	}

	private String ask(QuorateClient client, String key) {
		try {
			if (ThreadLocalRandom.current().nextBoolean()) {
				client.put(key, value);
				return RIGHT;
			}
			Optional<Entity> found = client.get(key);
			return found.isEmpty() ? "GET 404" : RIGHT;
		}
		catch (QuorateException failure) {
			return failure.problem().map((problem) -> Integer.toString(problem.status())).orElse(failure.getClass().getSimpleName());
		}
	}

	/** Begins a phase. */
	Phase phase() throws IOException {
		this.samples.clear();
		return new Phase(System.nanoTime(), cpuSeconds());
	}

	/** Ends a phase: its figures until now, also of what was due in it and is answered later. */
	Figures figures(Phase phase) throws Exception {
		long end = System.nanoTime();
		double cpu = cpuSeconds() - phase.cpu();
		pause(1);
		List<Sample> of = this.samples.stream().filter((each) -> each.due() - phase.began() >= 0 && each.due() - end < 0).toList();
		Map<String, Long> others = of.stream()
			.map(Sample::answer)
			.filter((answer) -> !answer.equals(RIGHT))
			.collect(Collectors.groupingBy((answer) -> answer, TreeMap::new, Collectors.counting()));
		double seconds = seconds(end - phase.began());
		return new Figures(seconds, of.stream().mapToLong(Sample::nanos).sorted().toArray(), others, cpu / seconds);
	}

	@Override
	public void close() {
		this.isOver = true;
		this.executor.close();
		this.clients.forEach(QuorateClient::close);
	}

}
