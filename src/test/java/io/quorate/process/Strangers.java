package io.quorate.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;

import javax.net.ssl.SSLContext;

/**
 * Strangers that try something again and again, so often in a second in all. Their
 * outcomes are counted. Begun and ended by one thread.
 */
final class Strangers implements AutoCloseable {

	/* One that waits for the node makes fewer attempts than it could. */
	private static final int THREADS = Scale.of(8, 64);

	private static final int TIMEOUT_MILLIS = 120_000;

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private final Map<String, AtomicInteger> outcomes = new ConcurrentHashMap<>();

	private final AtomicLong number = new AtomicLong();

	private final Workers workers;

	private volatile boolean over;

	private Strangers(int perSecond, IntFunction<Stranger> strangers) {
		Duration interval = Duration.ofSeconds(THREADS).dividedBy(perSecond);
		this.workers = Workers.begin(THREADS, (thread) -> {
			Pace pace = new Pace(interval);
			try (Stranger stranger = strangers.apply(thread)) {
				while (!this.over) {
					String outcome = outcome(stranger);
					this.outcomes.computeIfAbsent(outcome, (_) -> new AtomicInteger()).incrementAndGet();
					pace.await();
				}
			}
		});
	}

	private String outcome(Stranger stranger) {
		try {
			return stranger.attempt(this.number.getAndIncrement());
		}
		catch (IOException lost) {
			return "lost";
		}
	}

	/**
	 * Begins attempts.
	 * @param strangers makes each of them by its number, on the thread that it is used by
	 */
	static Strangers begin(int perSecond, IntFunction<Stranger> strangers) {
		return new Strangers(perSecond, strangers);
	}

	/** Ends the attempts; how many had which outcome. */
	Map<String, Integer> end() throws InterruptedException {
		this.over = true;
		this.workers.join(LIMIT);
		Map<String, Integer> counted = new TreeMap<>();
		this.outcomes.forEach((outcome, count) -> counted.put(outcome, count.get()));
		return counted;
	}

	@Override
	public void close() {
		this.over = true;
		this.workers.close();
	}

	/** A connection from an address of this machine to a port of it. */
	static Socket connect(String from, int port) throws IOException {
		Socket socket = new Socket();
		try {
			socket.setSoTimeout(TIMEOUT_MILLIS);
			socket.bind(new InetSocketAddress(InetAddress.ofLiteral(from), 0));
			socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
			return socket;
		}
		catch (IOException failure) {
			socket.close();
			throw failure;
		}
	}

	/** The same, by TLS. */
	static Socket connect(String from, int port, SSLContext tls) throws IOException {
		Socket socket = connect(from, port);
		try {
			return KeptConnection.encrypted(socket, tls);
		}
		catch (IOException failure) {
			socket.close();
			throw failure;
		}
	}

	/** Sends a request without a body. */
	static void get(Socket socket, String target, String... fields) throws IOException {
		String head = "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n\r\n".formatted(target, String.join("\r\n", fields));
		socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
	}

	/** The status of the answer. */
	static String status(Socket socket) throws IOException {
		byte[] line = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
		return (line.length == 0) ? "closed" : new String(line, StandardCharsets.US_ASCII).substring(9);
	}

	/** A stranger that makes one attempt after the other, on one thread. */
	@FunctionalInterface
	interface Stranger extends AutoCloseable {

		/** Makes an attempt; its outcome. */
		String attempt(long number) throws IOException;

		@Override
		default void close() {
		}

	}

}
