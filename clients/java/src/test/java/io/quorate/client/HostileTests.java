package io.quorate.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

import io.quorate.client.HostileServer.Script;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Tests with servers that do what the test says, and clients of them. */
@Execution(ExecutionMode.CONCURRENT)
abstract class HostileTests {

	/* On a machine with other work all waits are longer by this factor. */
	static final long SLOWNESS = Long.getLong("slowness", 1);

	/* A test may last so much longer than the times it is about. */
	static final Duration SLACK = Duration.ofMillis(2_000 * SLOWNESS);

	private final Deque<AutoCloseable> opened = new ArrayDeque<>();

	@AfterEach
	void closeAll() throws Exception {
		while (!this.opened.isEmpty()) {
			this.opened.pop().close();
		}
	}

	<T extends AutoCloseable> T opened(T closeable) {
		this.opened.push(closeable);
		return closeable;
	}

	HostileServer node(Script... scripts) {
		return opened(new HostileServer(null, scripts));
	}

	static Duration millis(long millis) {
		return Duration.ofMillis(millis * SLOWNESS);
	}

	ClientBuilder builder(Object... nodes) {
		return QuorateClient.builder()
			.endpoints(Arrays.stream(nodes)
				.map((each) -> (each instanceof HostileServer server) ? server.url() : each.toString())
				.toList())
			.shuffle(false)
			.options((options) -> options.deadline(millis(10_000)).stallTimeout(millis(5_000)));
	}

	QuorateClient client(Object... nodes) {
		return opened(builder(nodes).build());
	}

	QuorateClient client(UnaryOperator<CallOptions> options, Object... nodes) {
		return opened(builder(nodes).options(options).build());
	}

	static UnaryOperator<CallOptions> stall(long time) {
		return (options) -> options.stallTimeout(millis(time));
	}

	static UnaryOperator<CallOptions> deadline(long time) {
		return (options) -> options.deadline(millis(time));
	}

	/**
	 * Returns the URL of a port at which nothing listens, and, until the end of the test,
	 * nothing else will.
	 */
	String unusedUrl() {
		try {
			Socket bound = opened(new Socket());
			bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
			return "http://127.0.0.1:" + bound.getLocalPort();
		}
		catch (IOException failure) {
			throw new IllegalStateException(failure);
		}
	}

	/** Returns the URL of a process that stands still: no connection is accepted. */
	String deafUrl() {
		try {
			ServerSocket socket = opened(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
			List<Socket> waiting = new ArrayList<>();
			// The queue of the system takes a few connections before it takes none.
			for (int i = 0; i < 4; i++) {
				Socket filler = opened(new Socket());
				waiting.add(filler);
				try {
					filler.connect(socket.getLocalSocketAddress(), 100);
				}
				catch (IOException full) {
					break;
				}
			}
			assertThat(waiting).isNotEmpty();
			return "http://127.0.0.1:" + socket.getLocalPort();
		}
		catch (IOException failure) {
			throw new IllegalStateException(failure);
		}
	}

	static <T extends Throwable> T caught(Class<T> type, ThrowingCallable call) {
		T error = catchThrowableOfType(type, call);
		assertThat(error).as("an error").isNotNull();
		return error;
	}

	/** Returns how long a call takes until it fails so. */
	static Duration timeUntil(Class<? extends Throwable> type, ThrowingCallable call) {
		long began = System.nanoTime();
		caught(type, call);
		return Duration.ofNanos(System.nanoTime() - began);
	}

	static void await(BooleanSupplier condition) throws InterruptedException {
		long end = System.nanoTime() + millis(10_000).toNanos();
		while (!condition.getAsBoolean()) {
			assertThat(System.nanoTime()).as("a moment before the end of the wait").isLessThan(end);
			Thread.sleep(5);
		}
	}

	static Put put() {
		return Put.of("k", "v");
	}

}
