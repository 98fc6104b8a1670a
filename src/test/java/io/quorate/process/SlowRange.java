package io.quorate.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.quorate.security.access.Token;

/**
 * A range whose client takes it slowly, though fast enough for the node, until it is told
 * to take the rest at once. Used by one thread.
 */
final class SlowRange implements AutoCloseable {

	private static final int BUFFER_BYTES = 64 * 1024;

	private static final Duration INTERVAL = Duration.ofMillis(500);

	private static final Duration LIMIT = Duration.ofMinutes(2);

	private static final String LAST_CHUNK = "\r\n0\r\n\r\n";

	private final RawRequest request;

	private final CompletableFuture<Void> begun = new CompletableFuture<>();

	private final CompletableFuture<ByteArrayOutputStream> answer;

	private volatile boolean fast;

	private SlowRange(RawRequest request) {
		this.request = request;
		this.answer = CompletableFuture.supplyAsync(this::take, (task) -> Thread.ofVirtual().start(task));
	}

	/**
	 * Begins a range, and returns when the first bytes of its answer are there, or none
	 * come.
	 */
	static SlowRange begin(NodeProcess node, String target, Token token) throws Exception {
		SlowRange range = new SlowRange(RawRequest.send(node, BUFFER_BYTES, "GET", target, "Connection: close",
				"Authorization: Bearer " + token.text()));
		try {
			range.begun.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
			return range;
		}
		catch (ExecutionException | InterruptedException | TimeoutException failure) {
			range.close();
			throw failure;
		}
	}

	private ByteArrayOutputStream take() {
		ByteArrayOutputStream taken = new ByteArrayOutputStream();
		Pace pace = new Pace(INTERVAL);
		try {
			byte[] next = this.request.read(BUFFER_BYTES);
			while (next.length > 0) {
				this.begun.complete(null);
				taken.writeBytes(next);
				if (!this.fast) {
					pace.await();
				}
				next = this.request.read(BUFFER_BYTES);
			}
		}
		catch (IOException cut) {
			// What has come before is the answer.
		}
		this.begun.complete(null);
		return taken;
	}

	/** Takes the rest; whether the answer had an end. */
	boolean isComplete() throws Exception {
		this.fast = true;
		String all = this.answer.get(LIMIT.toSeconds(), TimeUnit.SECONDS).toString(StandardCharsets.ISO_8859_1);
		if (!all.startsWith("HTTP/1.1 200")) {
			throw new AssertionError(all);
		}
		return all.endsWith(LAST_CHUNK);
	}

	@Override
	public void close() throws IOException {
		this.request.close();
	}

}
