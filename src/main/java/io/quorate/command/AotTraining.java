package io.quorate.command;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The training of an AOT cache, on a cluster of two nodes on loopback with their data in
 * a temporary directory. The one whose JVM writes the cache warms itself up for long,
 * joins the other one, receives some thousand requests, also while keys move to it and
 * from it, and is stopped. Closing the training ends both nodes and deletes what they
 * have left; so does the end of this process.
 */
final class AotTraining implements Closeable {

	/* Of it a minute for the warm-up. */
	private static final Duration START = Duration.ofMinutes(3);

	private static final Duration CHANGE = Duration.ofMinutes(2);

	private static final Duration REQUEST = Duration.ofSeconds(60);

	private static final String HOST = "127.0.0.1";

	private static final String READINESS = "/actuator/health/readiness";

	/* The two nodes in the layout, without the number of their port for peers. */
	private static final String FIRST = "first@" + HOST + ":";

	private static final String TRAINED = "trained@" + HOST + ":";

	private final Path cache;

	private final Path directory;

	private final Thread hook = new Thread(this::endQuietly, "aot-training-end");

	private final NodeAccess access;

	private final List<TrainingNode> nodes = new ArrayList<>();

	private boolean isEnded;

	private AotTraining(Path cache, Path directory) throws IOException {
		this.cache = cache;
		this.directory = directory;
		this.access = NodeAccess.of(null, null);
		Runtime.getRuntime().addShutdownHook(this.hook);
	}

	/**
	 * A training for a cache, with its files in a new directory beside it.
	 * @throws IOException if none can be made there
	 */
	static AotTraining beside(Path cache) throws IOException {
		Path parent = cache.toAbsolutePath().getParent();
		if (parent == null || !Files.isWritable(parent)) {
			throw new IOException("there is no cache: " + parent + " cannot be written");
		}
		return new AotTraining(cache, Files.createTempDirectory(parent, cache.getFileName() + "."));
	}

	/**
	 * Runs the nodes and puts the cache into its place, instead of one that is there.
	 * @param plain the JVM, the flags of the installation, and the jar: for the other
	 * node
	 * @param java the same with the options of the user, which the cache has to fit
	 * @param requests number of those by which the node warms itself up
	 * @param environment the variables of this process
	 * @throws IOException if a node does not start, answers wrongly, does not stop, or
	 * writes no cache; the message has the end of its log
	 */
	void run(List<String> plain, List<String> java, int requests, Map<String, String> environment) throws IOException {
		Path made = this.directory.resolve("made");
		TrainingNode trained;
		try {
			trained = train(plain, java, made, requests, environment);
			trained.stop();
		}
		catch (InterruptedException stop) {
			Thread.currentThread().interrupt();
			throw new IOException("there is no cache: the command was interrupted", stop);
		}
		if (!Files.isRegularFile(made) || Files.size(made) == 0) {
			throw trained.failed("the JVM has written none");
		}
		Files.move(made, this.cache, StandardCopyOption.ATOMIC_MOVE);
	}

	private TrainingNode train(List<String> plain, List<String> java, Path made, int requests,
			Map<String, String> environment) throws IOException, InterruptedException {
		int[] ports = freePorts();
		List<String> arguments = List.of(Program.SERVER, "--server.port=0", "--server.address=" + HOST,
				"--quorate.cluster.members=" + FIRST + ports[0]);
		List<String> first = new ArrayList<>(plain);
		first.addAll(arguments);
		first.addAll(
				List.of("--quorate.node.id=first", "--quorate.storage.directory=" + this.directory.resolve("data-0"),
						"--quorate.cluster.join-hosts=" + HOST, "--quorate.warm-up.requests=0"));
		List<String> second = new ArrayList<>(java);
		second.addAll(arguments);
		second.add(java.indexOf("-jar"), "-XX:AOTCacheOutput=" + made);
		second.addAll(
				List.of("--quorate.node.id=trained", "--quorate.storage.directory=" + this.directory.resolve("data-1"),
						"--quorate.cluster.join=" + TRAINED + ports[1], "--quorate.cluster.join-by-itself=true",
						"--quorate.warm-up.requests=" + requests, "--quorate.warm-up.limit=1m"));
		try (HttpClient client = this.access.client(REQUEST, List.of(URI.create("http://" + HOST)))) {
			Trainee other = new Trainee(client, start(first, "log-0", environment));
			other.sendAll(TrainingStep.filling());
			Trainee trainee = new Trainee(client, start(second, "log-1", environment));
			trainee.awaitStable(trainee.replicate(2));
			trainee.sendAll(TrainingStep.all());
			return trainee.node;
		}
	}

	/* Ports that two peers can have: the layout names them, so they are chosen before. */
	private static int[] freePorts() throws IOException {
		InetAddress host = InetAddress.ofLiteral(HOST);
		try (ServerSocket one = new ServerSocket(0, 1, host); ServerSocket other = new ServerSocket(0, 1, host)) {
			return new int[] { one.getLocalPort(), other.getLocalPort() };
		}
	}

	private synchronized TrainingNode start(List<String> command, String log, Map<String, String> environment)
			throws IOException {
		if (this.isEnded) {
			throw new IOException("there is no cache: the command was ended");
		}
		TrainingNode node = TrainingNode.start(command, this.directory.toFile(), this.directory.resolve(log),
				environment);
		this.nodes.add(node);
		return node;
	}

	/**
	 * As above.
	 * @throws IOException if the directory cannot be deleted
	 */
	@Override
	public void close() throws IOException {
		end();
		try {
			Runtime.getRuntime().removeShutdownHook(this.hook);
		}
		catch (IllegalStateException ending) {
			// The hook runs, or has run.
		}
	}

	private void endQuietly() {
		try {
			end();
		}
		catch (IOException left) {
			// The process ends, and the user sees the directory.
			System.getLogger(AotTraining.class.getName()).log(System.Logger.Level.WARNING, left.getMessage(), left);
		}
	}

	private synchronized void end() throws IOException {
		if (this.isEnded) {
			return;
		}
		this.isEnded = true;
		this.nodes.forEach(TrainingNode::kill);
		try (Stream<Path> left = Files.walk(this.directory)) {
			for (Path path : left.sorted(Comparator.reverseOrder()).toList()) {
				Files.deleteIfExists(path);
			}
		}
		catch (IOException | UncheckedIOException failure) {
			throw new IOException(this.directory + " is left: " + failure, failure);
		}
	}

	/** A node that is ready for requests. */
	private final class Trainee {

		private final HttpClient client;

		private final TrainingNode node;

		private final URI url;

		Trainee(HttpClient client, TrainingNode node) throws IOException, InterruptedException {
			this.client = client;
			this.node = node;
			long deadline = System.nanoTime() + START.toNanos();
			this.url = node.awaitUrl(deadline, "the node did not start within " + START.toSeconds() + " s");
			while (answer(TrainingStep.of("GET", READINESS, 200)).statusCode() != 200) {
				node.pause(deadline, "the node did not become ready within " + START.toSeconds() + " s");
			}
		}

		/**
		 * Has the replication factor change, once the nodes know each other.
		 * @return version of the layout before
		 */
		long replicate(int factor) throws IOException, InterruptedException {
			long deadline = System.nanoTime() + CHANGE.toNanos();
			while (true) {
				long version = awaitStable(0);
				TrainingStep command = TrainingStep.command("/actuator/cluster/replication",
						"{\"version\":%d,\"factor\":%d}".formatted(version, factor));
				int status = answer(command).statusCode();
				if (status == command.status()) {
					return version;
				}
				this.node.pause(deadline, command + " was answered " + status + " for " + CHANGE.toSeconds() + " s");
			}
		}

		/**
		 * Sends requests until the node has a later layout, and no change is under way.
		 * @param before version of the layout before
		 * @return version of the layout
		 */
		long awaitStable(long before) throws IOException, InterruptedException {
			long deadline = System.nanoTime() + CHANGE.toNanos();
			for (int number = 0;; number++) {
				LayoutAnswer layout = layout();
				if (layout.isStable() && layout.version() > before) {
					return layout.version();
				}
				for (TrainingStep step : TrainingStep.meanwhile(number)) {
					int status = answer(step).statusCode();
					// The code is cold, and a replica may not answer in time.
					if (status != step.status() && status != 503 && status != 504) {
						throw wrong(step, status);
					}
				}
				if (System.nanoTime() - deadline >= 0) {
					throw this.node.failed("the change of members did not end within " + CHANGE.toSeconds() + " s");
				}
			}
		}

		private LayoutAnswer layout() throws IOException, InterruptedException {
			TrainingStep step = TrainingStep.of("GET", LayoutAnswer.PATH, 200);
			try {
				return new LayoutAnswer(this.url.toString(), JsonMapper.shared().readTree(send(step).body()));
			}
			catch (JacksonException noJson) {
				throw this.node.failed(step + " was answered by no JSON: " + noJson.getMessage());
			}
		}

		void sendAll(List<TrainingStep> steps) throws IOException, InterruptedException {
			for (TrainingStep step : steps) {
				send(step);
			}
		}

		HttpResponse<byte[]> send(TrainingStep step) throws IOException, InterruptedException {
			HttpResponse<byte[]> answer = answer(step);
			if (answer.statusCode() != step.status()) {
				throw wrong(step, answer.statusCode());
			}
			return answer;
		}

		private IOException wrong(TrainingStep step, int status) throws IOException {
			return this.node.failed(step + " was answered " + status + " in place of " + step.status());
		}

		private HttpResponse<byte[]> answer(TrainingStep step) throws IOException, InterruptedException {
			try {
				return this.client.send(step.request(AotTraining.this.access, this.url).timeout(REQUEST).build(),
						BodyHandlers.ofByteArray());
			}
			catch (IOException failure) {
				throw this.node.failed(step + " has failed: " + failure);
			}
		}

	}

}
