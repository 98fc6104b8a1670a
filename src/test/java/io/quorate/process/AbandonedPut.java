package io.quorate.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * A PUT that a client sends to a node which stands still, on a socket of its own: it
 * gives up, or waits. Used by one thread.
 */
final class AbandonedPut implements AutoCloseable {

	/** The status of a connection that ends before an answer. */
	static final String CLOSED = "closed";

	private static final int TIMEOUT_MILLIS = 120_000;

	/* That the first request is answered is not the subject. */
	private static final Duration ANY_TIME = Duration.ofSeconds(30);

	private static final int BODY_BYTES = 4000;

	private final NodeProcess node;

	private final String key;

	private final Duration deadline;

	private final Sending sending;

	private final Leaving leaving;

	private final Socket socket = new Socket();

	/** The ways in which the request is sent. */
	enum Sending {

		/** On a connection that has carried a request before. */
		KEPT_ALIVE,

		/** On a connection that is opened while the node stands still. */
		NEW,

		/** On a new connection, and never the second half of its body. */
		HALF,

		/** One half of its body before the node stands still, the other half while. */
		SPLIT

	}

	/** The ways in which the client gives up. */
	enum Leaving {

		CLOSE, RESET, NEVER

	}

	AbandonedPut(NodeProcess node, String key, Duration deadline, Sending sending, Leaving leaving) {
		this.node = node;
		this.key = key;
		this.deadline = deadline;
		this.sending = sending;
		this.leaving = leaving;
	}

	String key() {
		return this.key;
	}

	boolean waits() {
		return this.leaving == Leaving.NEVER;
	}

	/** Does what is to be done before the node stands still. */
	void prepare() throws IOException {
		this.socket.setSoTimeout(TIMEOUT_MILLIS);
		if (this.sending == Sending.KEPT_ALIVE) {
			connect();
			head("before-" + this.key, ANY_TIME);
			body(BODY_BYTES);
			String status = status();
			if (!"HTTP/1.1 201".equals(status)) {
				throw new IOException("the first request of the connection was answered " + status);
			}
		}
		else if (this.sending == Sending.SPLIT) {
			connect();
			head(this.key);
			body(BODY_BYTES / 2);
		}
	}

	/** Sends the request, or the rest of it; the node stands still. */
	void send() throws IOException {
		if (this.sending == Sending.NEW || this.sending == Sending.HALF) {
			connect();
		}
		if (this.sending != Sending.SPLIT) {
			head(this.key);
			body(BODY_BYTES / 2);
		}
		if (this.sending != Sending.HALF) {
			body(BODY_BYTES / 2);
		}
	}

	/** Gives up, unless the client waits. */
	void leave() throws IOException {
		if (this.leaving == Leaving.RESET) {
			this.socket.setSoLinger(true, 0);
		}
		if (!waits()) {
			this.socket.close();
		}
	}

	private void connect() throws IOException {
		this.socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), this.node.port()), TIMEOUT_MILLIS);
	}

	private void head(String id) throws IOException {
		head(id, this.deadline);
	}

	private void head(String id, Duration deadline) throws IOException {
		String head = "PUT /v0/entity?id=" + id + " HTTP/1.1\r\nHost: localhost\r\nQuorate-Timeout: "
				+ deadline.toMillis() + "\r\nContent-Length: " + BODY_BYTES + "\r\n\r\n";
		this.socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
	}

	private void body(int length) throws IOException {
		this.socket.getOutputStream().write("ABANDONED ".repeat(length / 10).getBytes(StandardCharsets.US_ASCII));
	}

	/** Waits for the head of the answer; its version and status, or {@link #CLOSED}. */
	String status() throws IOException {
		ByteArrayOutputStream head = new ByteArrayOutputStream();
		try {
			while (!head.toString(StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
				int next = this.socket.getInputStream().read();
				if (next < 0) {
					return CLOSED;
				}
				head.write(next);
			}
		}
		catch (SocketException reset) {
			return CLOSED;
		}
		return head.toString(StandardCharsets.US_ASCII).substring(0, "HTTP/1.1 200".length());
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
