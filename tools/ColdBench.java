import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/*
 * The load that tools/bench-cold begins as soon as the nodes of a cluster are ready. Arguments: name=value, and variants as
 * NAME:aot or NAME:jar with options of the JVM behind, separated by commas. The generator is warm itself before it starts
 * the nodes. Latency counts from the instant at which a request was due, and a request belongs to the window in which it was
 * due. One thread sends all requests.
 */

static final long SECOND = 1_000_000_000L;

/* Time for which the generator waits for answers behind the last window. */
static final long GRACE_NANOS = 60 * SECOND;

static final long START_NANOS = 120 * SECOND;

static final long LATE_NANOS = SECOND / 10;

static final int WARM_UP_SECONDS = 4;

static final int CREATED = 201;

final Map<String, String> arguments = new HashMap<>();

final List<String> variants = new ArrayList<>();

Process running;

void main(String[] args) throws Exception {
	for (String arg : args) {
		int equals = arg.indexOf('=');
		if (arg.startsWith("variant=")) {
			variants.add(arg.substring(equals + 1));
		}
		else {
			arguments.put(arg.substring(0, equals), arg.substring(equals + 1));
		}
	}
	if (number("threadsFrom") >= number("seconds")) {
		throw new IllegalArgumentException("THREADS_FROM is not below SECONDS_ALL");
	}
	if (number("restartFrom") >= number("seconds")) {
		throw new IllegalArgumentException("RESTART_FROM is not below SECONDS_ALL");
	}
	if (number("restartFrom") >= 0 && (number("threadsFrom") >= 0 || !arguments.get("clients").equals("n0"))) {
		throw new IllegalArgumentException("RESTART_FROM goes neither with THREADS_FROM nor with CLIENTS=spread");
	}
	warmUp();
	Map<String, List<Result>> results = new HashMap<>();
	Runtime.getRuntime().addShutdownHook(new Thread(this::end));
	for (int round = 1; round <= number("rounds"); round++) {
		for (int i = 0; i < variants.size(); i++) {
			/* Each round begins with another variant. */
			String variant = variants.get((i + round - 1) % variants.size());
			Result result = run(variant, round);
			results.computeIfAbsent(variant, _ -> new ArrayList<>()).add(result);
			print(variant, round, result);
		}
	}
	summarize(results);
}

int number(String name) {
	return Integer.parseInt(arguments.get(name));
}

/** A generator that is not compiled yet would be measured with the nodes. */
void warmUp() throws Exception {
	try (ServerSocket server = new ServerSocket(0, 256, InetAddress.getLoopbackAddress())) {
		Thread.ofVirtual().start(() -> {
			while (!server.isClosed()) {
				try {
					Socket socket = server.accept();
					Thread.ofVirtual().start(() -> answer(socket));
				}
				catch (IOException closed) {
					return;
				}
			}
		});
		Generator generator = new Generator(List.of(server.getLocalPort()), Math.min(WARM_UP_SECONDS, number("seconds")));
		generator.run(new Nodes(Path.of(""), 0));
	}
}

/** A server that reads nothing but ends of requests. */
void answer(Socket socket) {
	byte[] answer = "HTTP/1.1 201\r\ncontent-length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
	byte[] request = new byte[1 << 16];
	try (socket; InputStream in = socket.getInputStream(); OutputStream out = socket.getOutputStream()) {
		socket.setTcpNoDelay(true);
		while (in.read(request) > 0) {
			out.write(answer);
		}
	}
	catch (IOException closed) {
		/* The end of the warm-up. */
	}
}

/** Starts a cluster, loads it from the instant at which all its nodes are ready, and stops it. */
Result run(String variant, int round) throws Exception {
	Path data = Path.of(arguments.get("data"), variant.substring(0, variant.indexOf(':')) + "-" + round);
	List<Integer> ports = new ArrayList<>();
	for (int i = 0; i < number("nodes"); i++) {
		ports.add(number("port") + i);
	}
	for (int port : ports) {
		if (status(port, "/") != 0) {
			throw new IllegalStateException("Port %d is in use by another process: end that one, or choose another with PORT"
				.formatted(port));
		}
	}
	Files.createDirectories(data);
	String[] how = variant.substring(variant.indexOf(':') + 1).split(",");
	ProcessBuilder cluster = new ProcessBuilder(command(data)).redirectErrorStream(true)
		.redirectOutput(data.resolve("log").toFile());
	cluster.environment().put("QUORATE_AOT", how[0].equals("aot") ? "on" : "off");
	cluster.environment()
		.merge("QUORATE_JAVA_OPTS", String.join(" ", Arrays.asList(how).subList(1, how.length)), (set, own) -> set + " " + own);
	long began = System.nanoTime();
	running = cluster.start();
	try {
		long[] ready = new long[ports.size()];
		for (int left = ports.size(); left > 0;) {
			for (int i = 0; i < ready.length; i++) {
				if (ready[i] == 0 && status(ports.get(i), "/actuator/health/readiness") == 200) {
					ready[i] = System.nanoTime() - began;
					left--;
				}
			}
			if (System.nanoTime() - began > START_NANOS || !running.isAlive()) {
				throw new IllegalStateException("The nodes did not start: " + Files.readString(data.resolve("log")));
			}
			LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
		}
		Nodes nodes = new Nodes(data, number("nodes"));
		double startCpu = nodes.cpu();
		Generator generator = new Generator(arguments.get("clients").equals("n0") ? ports.subList(0, 1) : ports,
				number("seconds"));
		List<String> said = List.of();
		if (number("restartFrom") >= 0) {
			said = restarted(generator, nodes, cluster, data);
		}
		else if (number("threadsFrom") >= 0) {
			said = List.of(recorded(generator, nodes));
		}
		else {
			generator.run(nodes);
		}
		Arrays.sort(ready);
		return new Result(ready, startCpu, generator, said);
	}
	finally {
		end();
		new ProcessBuilder("rm", "-rf", data.toString()).start().waitFor();
	}
}

/** Runs the load beside a rolling update, and returns when each node was stopped, started and ready. */
List<String> restarted(Generator generator, Nodes nodes, ProcessBuilder cluster, Path data) throws Exception {
	FutureTask<List<String>> restarts = new FutureTask<>(() -> restart(cluster, data));
	Thread thread = Thread.ofPlatform().daemon().start(restarts);
	try {
		generator.run(nodes);
		return restarts.get(START_NANOS, TimeUnit.NANOSECONDS);
	}
	finally {
		thread.interrupt();
	}
}

/** Stops and starts all nodes but that of the clients, the last one first, as a rolling update does. */
List<String> restart(ProcessBuilder cluster, Path data) throws Exception {
	long began = System.nanoTime();
	List<String> lines = new ArrayList<>();
	Thread.sleep(Duration.ofSeconds(number("restartFrom")));
	for (int node = number("nodes") - 1; node > 0; node--) {
		double stop = seconds(began);
		command(cluster, data, "stop", node);
		double start = seconds(began);
		command(cluster, data, "start", node);
		while (status(number("port") + node, "/actuator/health/readiness") != 200) {
			if (System.nanoTime() - began > START_NANOS + SECOND * number("seconds")) {
				throw new IllegalStateException("n%d is not ready".formatted(node));
			}
			Thread.sleep(20);
		}
		lines.add(String.format(Locale.ROOT, "n%d: stop at %.1f s, start at %.1f s, ready at %.1f s.", node, stop, start, seconds(began)));
	}
	return lines;
}

double seconds(long began) {
	return (System.nanoTime() - began) / 1e9;
}

/** Runs a command of the script for one node. */
void command(ProcessBuilder cluster, Path data, String command, int node) throws Exception {
	Path output = data.resolve("restart");
	ProcessBuilder builder = new ProcessBuilder(arguments.get("cluster"), command, "n" + node, "--data", data.toString())
		.redirectErrorStream(true)
		.redirectOutput(output.toFile());
	builder.environment().putAll(cluster.environment());
	Process process = builder.start();
	try {
		if (!process.waitFor(START_NANOS, TimeUnit.NANOSECONDS) || process.exitValue() != 0) {
			throw new IllegalStateException("%s of n%d has failed: %s".formatted(command, node, Files.readString(output)));
		}
	}
	finally {
		process.destroy();
	}
}

/** Runs the load beside a record of the nodes' threads, and returns its table for the requests from some second on. */
String recorded(Generator generator, Nodes nodes) throws IOException {
	ThreadRecord threads = new ThreadRecord(nodes.processes(), number("hertz"));
	try (threads) {
		generator.run(nodes);
	}
	int first = number("threadsFrom") * number("rate");
	long[] due = LongStream.range(first, generator.latencies.length).map((request) -> generator.due((int) request)).toArray();
	return threads.report(due, Arrays.copyOfRange(generator.latencies, first, generator.latencies.length));
}

List<String> command(Path data) {
	List<String> command = new ArrayList<>(List.of(arguments.get("cluster"), arguments.get("nodes"), "--data", data.toString(),
			"--port", arguments.get("port"), "--internode-port", arguments.get("internodePort")));
	command.addAll(Arrays.stream(arguments.get("properties").split("\n")).filter((word) -> !word.isEmpty()).toList());
	return command;
}

void end() {
	Process cluster = running;
	if (cluster == null) {
		return;
	}
	cluster.destroy();
	try {
		if (!cluster.waitFor(90, TimeUnit.SECONDS)) {
			cluster.descendants().forEach(ProcessHandle::destroyForcibly);
			cluster.destroyForcibly();
		}
	}
	catch (InterruptedException interrupted) {
		Thread.currentThread().interrupt();
	}
	running = null;
}

/** Status of a request on a connection of its own, 0 when there is none. */
int status(int port, String path) {
	try (Socket socket = new Socket()) {
		socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
		socket.setSoTimeout(5000);
		socket.getOutputStream()
			.write("GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".formatted(path).getBytes(StandardCharsets.US_ASCII));
		String line = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
		return (line.length() == 12) ? Integer.parseInt(line.substring(9)) : 0;
	}
	catch (IOException absent) {
		return 0;
	}
}

/** The processes of a cluster, and their processor time, also that of those and of threads that have ended since they were seen first. */
final class Nodes {

	private final Path data;

	private final int count;

	private final Map<Path, Long> ticks = new HashMap<>();

	private final Map<Path, Long> compiling = new HashMap<>();

	Nodes(Path data, int count) {
		this.data = data;
		this.count = count;
	}

	List<Path> processes() throws IOException {
		List<Path> processes = new ArrayList<>();
		for (int i = 0; i < this.count; i++) {
			Path file = this.data.resolve("n" + i).resolve("pid");
			String pid = Files.exists(file) ? Files.readString(file).strip() : "";
			if (!pid.isEmpty()) {
				processes.add(Path.of("/proc", pid));
			}
		}
		return processes;
	}

	/** Seconds that the processes have used. */
	double cpu() throws IOException {
		for (Path process : processes()) {
			read(process, ".*", this.ticks);
		}
		return seconds(this.ticks);
	}

	/** Seconds that the threads have used which compile. */
	double compilers() throws IOException {
		for (Path process : processes()) {
			for (Path thread : threads(process)) {
				read(thread, "C[12] Compiler.*", this.compiling);
			}
		}
		return seconds(this.compiling);
	}

	private static List<Path> threads(Path process) throws IOException {
		try (Stream<Path> threads = Files.list(process.resolve("task"))) {
			return threads.toList();
		}
		catch (IOException | UncheckedIOException ended) {
			if (Files.exists(process)) {
				throw ended;
			}
			return List.of();
		}
	}

	private double seconds(Map<Path, Long> of) {
		return (double) of.values().stream().mapToLong(Long::longValue).sum() / number("hertz");
	}

	/* A node may be restarted, and the JVM ends compiler threads that have nothing to do. */
	private void read(Path task, String name, Map<Path, Long> into) throws IOException {
		try {
			if (Files.readString(task.resolve("comm")).strip().matches(name)) {
				String text = Files.readString(task.resolve("stat"));
				String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
				into.put(task, Long.parseLong(fields[11]) + Long.parseLong(fields[12]));
			}
		}
		catch (IOException ended) {
			if (Files.exists(task)) {
				throw ended;
			}
		}
	}

}

void print(String variant, int round, Result result) {
	System.out.printf("%n## %s, round %d%n%n%s%n%n", variant, round, result.start());
	System.out.println("| due in second | answered | errors | p50 | p99 | p99.9 | max | CPU, us each | processors | of it compilers |");
	System.out.println("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
	for (int window = 0; window < result.windows(); window++) {
		System.out.println(result.row(window));
	}
	System.out.printf("%n%s%n", result.end());
	result.said().forEach((line) -> System.out.printf("%n%s%n", line));
	System.out.flush();
}

void summarize(Map<String, List<Result>> results) {
	System.out.printf("%n## Median of %d rounds (lowest to highest)%n%n", number("rounds"));
	System.out.println("| | all ready, s | CPU until then, s | p99 of the first window, ms | second | third | last | caught up, s |");
	System.out.println("|---|---:|---:|---:|---:|---:|---:|---:|");
	for (String variant : variants) {
		List<Result> of = results.get(variant);
		int last = of.getFirst().windows() - 1;
		System.out.printf("| %s | %s | %s | %s | %s | %s | %s | %s |%n", variant,
				median(of.stream().mapToDouble((result) -> result.ready()[result.ready().length - 1] / (double) SECOND).toArray()),
				median(of.stream().mapToDouble(Result::startCpu).toArray()),
				median(of.stream().mapToDouble((result) -> result.millis(0, 0.99)).toArray()),
				median(of.stream().mapToDouble((result) -> result.millis(Math.min(1, last), 0.99)).toArray()),
				median(of.stream().mapToDouble((result) -> result.millis(Math.min(2, last), 0.99)).toArray()),
				median(of.stream().mapToDouble((result) -> result.millis(last, 0.99)).toArray()),
				median(of.stream().mapToDouble(Result::caughtUp).toArray()));
	}
}

String median(double[] values) {
	Arrays.sort(values);
	return String.format(Locale.ROOT, "%.1f (%.1f to %.1f)", values[(values.length - 1) / 2], values[0], values[values.length - 1]);
}

/** The figures of one run. */
final class Result {

	private final long[] ready;

	private final double startCpu;

	private final Generator generator;

	/* Of the restarts a line each, or the table of the threads. */
	private final List<String> said;

	private final long[][] sorted;

	Result(long[] ready, double startCpu, Generator generator, List<String> said) {
		this.ready = ready;
		this.startCpu = startCpu;
		this.generator = generator;
		this.said = said;
		this.sorted = new long[number("seconds") / number("window")][];
		int each = number("rate") * number("window");
		for (int i = 0; i < this.sorted.length; i++) {
			this.sorted[i] = Arrays.copyOfRange(generator.latencies, i * each, (i + 1) * each);
			Arrays.sort(this.sorted[i]);
		}
	}

	long[] ready() {
		return this.ready;
	}

	double startCpu() {
		return this.startCpu;
	}

	/** The restarts, and the record of the threads. */
	List<String> said() {
		return this.said;
	}

	int windows() {
		return this.sorted.length;
	}

	String start() {
		return String.format(Locale.ROOT, "Start to ready: %s s; processor time of all nodes until then %.1f s.",
				String.join(", ", Arrays.stream(this.ready).mapToObj((nanos) -> String.format(Locale.ROOT, "%.2f", nanos / 1e9)).toList()),
				this.startCpu);
	}

	double millis(int window, double part) {
		long[] latencies = this.sorted[window];
		return latencies[Math.min(latencies.length - 1, (int) Math.ceil(latencies.length * part) - 1)] / 1e6;
	}

	String row(int window) {
		int seconds = number("window");
		long answered = Arrays.stream(this.sorted[window]).filter((nanos) -> nanos < GRACE_NANOS).count();
		double cpu = this.generator.cpu[window + 1] - this.generator.cpu[window];
		return String.format(Locale.ROOT, "| %d-%d | %d | %d | %.2f | %.2f | %.2f | %.1f | %.0f | %.2f | %.2f |", window * seconds,
				(window + 1) * seconds, answered, this.generator.errors[window], millis(window, 0.5), millis(window, 0.99),
				millis(window, 0.999), millis(window, 1), cpu * 1e6 / this.generator.answered[window], cpu / seconds,
				(this.generator.compilers[window + 1] - this.generator.compilers[window]) / seconds);
	}

	/** Seconds until the last answer that took longer than a tenth of one. */
	double caughtUp() {
		long[] latencies = this.generator.latencies;
		for (int i = latencies.length - 1; i >= 0; i--) {
			if (latencies[i] > LATE_NANOS) {
				return (double) i / number("rate") + latencies[i] / 1e9;
			}
		}
		return 0;
	}

	String end() {
		return String.format(Locale.ROOT, "The last answer that took more than 100 ms came after %.1f s.", caughtUp());
	}

}

/** Requests at a constant rate, on connections of which each has one under way. */
final class Generator {

	final long[] latencies;

	final int[] errors;

	/* Answers that came, and processor time at the begin, in real time. */
	final int[] answered;

	final double[] cpu;

	final double[] compilers;

	private final List<Integer> ports;

	private final int rate = number("rate");

	private final int windowRequests = this.rate * number("window");

	private final Queue<Connection> free = new ArrayDeque<>();

	private final Queue<Connection> broken = new ArrayDeque<>();

	private final byte[] value = "v".repeat(number("value")).getBytes(StandardCharsets.US_ASCII);

	private long begin;

	private int ended;

	Generator(List<Integer> ports, int seconds) {
		this.ports = ports;
		this.latencies = new long[this.rate * seconds];
		int windows = Math.ceilDiv(seconds, number("window"));
		this.errors = new int[windows];
		this.answered = new int[windows + 1];
		this.cpu = new double[windows + 2];
		this.compilers = new double[windows + 2];
	}

	void run(Nodes nodes) throws IOException {
		Arrays.fill(this.latencies, GRACE_NANOS);
		try (Selector selector = Selector.open()) {
			for (int i = 0; i < number("connections"); i++) {
				this.free.add(new Connection(selector, this.ports.get(i % this.ports.size())));
			}
			this.begin = System.nanoTime();
			sample(0, nodes);
			long end = this.begin + SECOND * this.latencies.length / this.rate + GRACE_NANOS;
			int next = 0;
			int window = 0;
			for (long now = this.begin; this.ended < this.latencies.length && now < end; now = System.nanoTime()) {
				if (window < this.errors.length && now - this.begin >= SECOND * (window + 1) * number("window")) {
					sample(++window, nodes);
				}
				boolean isIdle = true;
				while (next < this.latencies.length && due(next) <= now && !this.free.isEmpty()) {
					this.free.remove().send(next++);
					isIdle = false;
				}
				if (selector.selectNow((key) -> ((Connection) key.attachment()).receive()) > 0) {
					isIdle = false;
				}
				if (isIdle) {
					repair();
					LockSupport.parkNanos(50_000);
				}
			}
			for (int rest = window + 1; rest < this.cpu.length; rest++) {
				sample(rest, nodes);
			}
			for (SelectionKey key : selector.keys()) {
				key.channel().close();
			}
		}
	}

	private void sample(int window, Nodes nodes) throws IOException {
		this.cpu[window] = nodes.cpu();
		this.compilers[window] = nodes.compilers();
	}

	private void repair() {
		for (Connection connection = this.broken.poll(); connection != null; connection = this.broken.poll()) {
			connection.reopen();
		}
	}

	long due(int number) {
		return this.begin + SECOND * number / this.rate;
	}

	private void ended(int number, boolean isExpected) {
		long now = System.nanoTime();
		this.latencies[number] = now - due(number);
		if (!isExpected) {
			this.errors[Math.min(number / this.windowRequests, this.errors.length - 1)]++;
		}
		this.answered[(int) Math.min((now - this.begin) / (SECOND * number("window")), this.answered.length - 1)]++;
		this.ended++;
	}

	private byte[] request(int number) {
		int key = (int) ((number * 2654435761L & 0xffffffffL) % number("keys"));
		String head = "PUT /v0/entity?id=key-%08d&replicas=%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
			.formatted(key, arguments.get("replicas"), this.value.length);
		byte[] fields = head.getBytes(StandardCharsets.US_ASCII);
		byte[] request = Arrays.copyOf(fields, fields.length + this.value.length);
		System.arraycopy(this.value, 0, request, fields.length, this.value.length);
		return request;
	}

	/** A connection that is kept. */
	private final class Connection {

		private final Selector selector;

		private final int port;

		private final ByteBuffer in = ByteBuffer.allocate(1 << 16);

		private SocketChannel channel;

		private int number;

		Connection(Selector selector, int port) throws IOException {
			this.selector = selector;
			this.port = port;
			open();
		}

		private void open() throws IOException {
			this.channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), this.port));
			this.channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
			this.channel.configureBlocking(false);
			this.channel.register(this.selector, SelectionKey.OP_READ, this);
			this.in.clear();
		}

		void reopen() {
			try {
				open();
				Generator.this.free.add(this);
			}
			catch (IOException absent) {
				Generator.this.broken.add(this);
				LockSupport.parkNanos(SECOND / 1000);
			}
		}

		void send(int request) {
			this.number = request;
			ByteBuffer out = ByteBuffer.wrap(request(request));
			try {
				while (out.hasRemaining()) {
					this.channel.write(out);
				}
			}
			catch (IOException lost) {
				lost();
			}
		}

		private void lost() {
			try {
				this.channel.close();
			}
			catch (IOException closed) {
				/* It is replaced all the same. */
			}
			ended(this.number, false);
			Generator.this.broken.add(this);
		}

		void receive() {
			try {
				if (this.channel.read(this.in) < 0) {
					lost();
					return;
				}
			}
			catch (IOException reset) {
				lost();
				return;
			}
			String head = new String(this.in.array(), 0, this.in.position(), StandardCharsets.ISO_8859_1);
			int end = head.indexOf("\r\n\r\n");
			if (end < 0) {
				return;
			}
			int field = head.toLowerCase(Locale.ROOT).indexOf("\r\ncontent-length:");
			int length = (field < 0 || field > end) ? 0
					: Integer.parseInt(head.substring(field + 17, head.indexOf("\r\n", field + 17)).strip());
			if (this.in.position() >= end + 4 + length) {
				this.in.clear();
				ended(this.number, Integer.parseInt(head.substring(9, 12)) == CREATED);
				Generator.this.free.add(this);
			}
		}

	}

}
