package io.quorate.process;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;

import javax.net.ssl.SSLContext;

import io.quorate.client.ClientBuilder;
import io.quorate.client.QuorateClient;
import io.quorate.process.KeptConnection.Received;
import io.quorate.security.access.Token;
import org.jspecify.annotations.Nullable;

import static org.awaitility.Awaitility.await;

/**
 * Clients that read and write keys of a cluster over HTTPS. Every other one keeps its
 * connections as long as its certificate stays the same, the others connect anew all the
 * time. Their credentials may be replaced while they run. Each answer that is not the
 * expected one is a failure. Begun and changed by one thread.
 * <p>
 * The load does not use the client for Java, which keeps its connections until it is
 * closed, has threads of its own for as long, and the cost of the JDK's client for each
 * request: thousands of requests a second, and hundreds of clients that begin anew, would
 * take the processors from the nodes whose latencies are measured.
 */
final class CredentialLoad implements AutoCloseable {

	private static final int ROUNDS_OF_A_CONNECTION = 20;

	private static final int KEYS = 50;

	private static final Duration LIMIT = Duration.ofMinutes(2);

	private final List<Integer> ports;

	private final Size size;

	private final List<Thread> clients = new ArrayList<>();

	private final AtomicReferenceArray<Identity> wanted;

	private final AtomicReferenceArray<Identity> used;

	private final AtomicInteger done = new AtomicInteger();

	private final AtomicInteger connected = new AtomicInteger();

	private final Queue<String> failures = new ConcurrentLinkedQueue<>();

	private volatile LatencyHistogram reads = new LatencyHistogram();

	private volatile boolean ended;

	private CredentialLoad(ClusterProcesses cluster, Size size, Identity... identities) {
		this.ports = cluster.nodes().stream().map(NodeProcess::port).toList();
		this.size = size;
		this.wanted = new AtomicReferenceArray<>(identities);
		this.used = new AtomicReferenceArray<>(size.clients());
		for (int i = 0; i < size.clients(); i++) {
			int number = i;
			this.clients.add(Thread.ofVirtual().start(() -> client(number)));
		}
	}

	/**
	 * Begins requests.
	 * @param identities two clients after another have the same one, in turn
	 */
	static CredentialLoad begin(ClusterProcesses cluster, Size size, Identity... identities) {
		return new CredentialLoad(cluster, size, identities);
	}

	private void client(int number) {
		Pace pace = new Pace(this.size.interval());
		try {
			int round = 0;
			while (!this.ended) {
				round = connection(number, round, pace);
			}
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/** Rounds of requests with connections of their own; returns the next one. */
	private int connection(int number, int first, Pace pace) throws InterruptedException {
		boolean lasting = number % 2 == 0;
		SSLContext tls = identity(number).tls();
		this.connected.incrementAndGet();
		int round = first;
		try (Connections connections = new Connections(tls)) {
			while (!this.ended && (lasting || round < first + ROUNDS_OF_A_CONNECTION)) {
				Identity identity = identity(number);
				if (!identity.tls().equals(tls)) {
					return round;
				}
				this.used.set(number, identity);
				pace.await();
				round += requests(connections, identity, number, round) ? 1 : 0;
			}
		}
		return round;
	}

	private Identity identity(int number) {
		return this.wanted.get(number / 2 % this.wanted.length());
	}

	/*
	 * Whether the round is done. One whose write has failed is repeated: the later ones
	 * read what it writes.
	 */
	private boolean requests(Connections connections, Identity identity, int number, int round) {
		String path = "/v0/entity/%s%d-%d?replicas=2/3".formatted(identity.prefix(), number,
				round / this.size.roundsOfAWrite() % KEYS);
		int node = round % this.ports.size();
		if (round % this.size.roundsOfAWrite() == 0
				&& !send(connections, node, new Request("PUT", path, identity, "v" + round), 201)) {
			return false;
		}
		long began = System.nanoTime();
		send(connections, node, new Request("GET", path, identity, null), 200);
		this.reads.record(System.nanoTime() - began);
		return true;
	}

	private boolean send(Connections connections, int node, Request request, int expected) {
		try {
			Received answer = connections.send(node, request);
			if (answer.status() == expected) {
				return true;
			}
			this.failures.add(request + ": " + answer.status() + " " + answer.body());
		}
		catch (IOException failure) {
			this.failures.add(request + ": " + failure);
		}
		finally {
			this.done.incrementAndGet();
		}
		return false;
	}

	/** Lets the clients go on for so long, and at least until some are served. */
	void run(Duration time) {
		int before = this.done.get();
		await().pollDelay(time)
			.atMost(time.plus(LIMIT))
			.pollInterval(Duration.ofMillis(20))
			.until(() -> this.done.get() > before);
	}

	/** Lets the clients go on until so many requests are done. */
	void awaitDone(int least) {
		await().atMost(LIMIT).until(() -> this.done.get() >= least);
	}

	/** Lets the clients go on for so long, and records the latencies of their reads. */
	void run(Duration time, LatencyHistogram measured) {
		this.reads = measured;
		run(time);
		this.reads = new LatencyHistogram();
	}

	/**
	 * Lets the clients go on for so long with nodes whose code is not compiled yet, which
	 * takes all processors of a small machine: failures until then do not count. Returns
	 * how many there were.
	 */
	int warmUp(Duration time) {
		run(time);
		int before = this.failures.size();
		for (int i = 0; i < before; i++) {
			this.failures.remove();
		}
		return before;
	}

	/**
	 * Replaces an identity, and returns when no request with the one before is under way.
	 */
	void move(int index, Identity next) {
		this.wanted.set(index, next);
		await().atMost(LIMIT)
			.pollInterval(Duration.ofMillis(10))
			.until(() -> IntStream.range(0, this.size.clients()).allMatch((i) -> identity(i).equals(this.used.get(i))));
	}

	int done() {
		return this.done.get();
	}

	/** How often clients began with new connections. */
	int connected() {
		return this.connected.get();
	}

	List<String> failures() {
		return List.copyOf(this.failures);
	}

	/** Ends the requests, and returns when each of them has its answer. */
	void end() throws InterruptedException {
		this.ended = true;
		for (Thread client : this.clients) {
			client.join();
		}
	}

	@Override
	public void close() {
		this.ended = true;
	}

	/** The connections of a client: one to each node. Used by one thread. */
	private final class Connections implements AutoCloseable {

		private final SSLContext tls;

		private final @Nullable KeptConnection[] byNode = new KeptConnection[CredentialLoad.this.ports.size()];

		Connections(SSLContext tls) {
			this.tls = tls;
		}

		Received send(int node, Request request) throws IOException {
			KeptConnection kept = this.byNode[node];
			KeptConnection used = (kept != null && kept.isKept()) ? kept : another(node);
			try {
				return request.on(used);
			}
			catch (IOException failure) {
				used.close();
				this.byNode[node] = null;
				if (!used.mayRepeat()) {
					throw failure;
				}
				return send(node, request);
			}
		}

		private KeptConnection another(int node) throws IOException {
			KeptConnection before = this.byNode[node];
			if (before != null) {
				before.close();
			}
			KeptConnection next = KeptConnection.open(CredentialLoad.this.ports.get(node), this.tls);
			this.byNode[node] = next;
			return next;
		}

		@Override
		public void close() {
			for (KeptConnection connection : this.byNode) {
				if (connection != null) {
					connection.close();
				}
			}
		}

	}

	/**
	 * A request of a client.
	 */
	private record Request(String method, String path, Identity identity, @Nullable String body) {

		Received on(KeptConnection connection) throws IOException {
			Token token = this.identity.token();
			return connection.exchange(this.method, this.path, (token != null) ? token.text() : null, this.body);
		}

		@Override
		public String toString() {
			return this.method + " " + this.path;
		}

	}

	/**
	 * The amount of work of the clients.
	 *
	 * @param clients number of clients
	 * @param interval time from one read of a client to its next
	 * @param roundsOfAWrite number of reads for each write
	 */
	record Size(int clients, Duration interval, int roundsOfAWrite) {
	}

	/**
	 * By what nodes know a client.
	 *
	 * @param tls whom it trusts, and the certificate that it shows if it has one
	 * @param token its token, {@code null} for none
	 * @param prefix first part of its keys
	 */
	record Identity(SSLContext tls, @Nullable Token token, String prefix) {

		Identity with(@Nullable Token other) {
			return new Identity(this.tls, other, this.prefix);
		}

		Identity with(SSLContext other) {
			return new Identity(other, this.token, this.prefix);
		}

		/** The client for Java of one node. A call is one request. */
		QuorateClient client(NodeProcess node) {
			ClientBuilder builder = QuorateClient.builder()
				.endpoints(node.uri("").toString())
				.sslContext(this.tls)
				.options((options) -> options.attempts(1).deadline(LIMIT).stallTimeout(LIMIT));
			return ((this.token != null) ? builder.token(this.token.text()) : builder).build();
		}

	}

}
