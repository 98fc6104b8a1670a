package io.quorate.warmup;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;

/**
 * A connection of an HTTP/1.1 client to a port of this process, for one request after the
 * other. A client library would be code that nothing else needs, at the moment at which
 * there is most to load and to compile.
 */
final class HttpConnection implements AutoCloseable {

	private static final int STATUS_AT = "HTTP/1.1 ".length();

	private static final int STATUS_END = STATUS_AT + 3;

	private static final int HEXADECIMAL = 16;

	private final Socket socket;

	private final InputStream in;

	private final int timeoutMillis;

	private HttpConnection(Socket socket, int timeoutMillis) throws IOException {
		this.socket = socket;
		this.timeoutMillis = timeoutMillis;
		this.in = new BufferedInputStream(socket.getInputStream());
	}

	/**
	 * Connects to a port on loopback.
	 * @param timeout the time that each request may take
	 */
	static HttpConnection to(int port, Duration timeout) throws IOException {
		int timeoutMillis = Math.toIntExact(timeout.toMillis());
		Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
		socket.setTcpNoDelay(true);
		socket.setSoTimeout(timeoutMillis);
		return new HttpConnection(socket, timeoutMillis);
	}

	/** Sends a request without a body; returns the status of its answer. */
	int request(String method, String target) throws IOException {
		return request(method, target, "");
	}

	/** Sends a request; returns the status of its answer, which is read to its end. */
	int request(String method, String target, String body) throws IOException {
		String text = "%s %s HTTP/1.1\r\nHost: localhost\r\nQuorate-Timeout: %d\r\nContent-Length: %d\r\n\r\n%s"
			.formatted(method, target, this.timeoutMillis, body.length(), body);
		this.socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
		return answer("HEAD".equals(method));
	}

	private int answer(boolean isHeadOnly) throws IOException {
		int status = Integer.parseInt(line().substring(STATUS_AT, STATUS_END));
		int length = 0;
		boolean isChunked = false;
		for (String field = line(); !field.isEmpty(); field = line()) {
			String lower = field.toLowerCase(Locale.ROOT);
			if (lower.startsWith("content-length:")) {
				length = Integer.parseInt(lower.substring(lower.indexOf(':') + 1).strip());
			}
			isChunked |= lower.startsWith("transfer-encoding:");
		}
		if (isChunked) {
			skipChunks();
		}
		else if (!isHeadOnly) {
			this.in.skipNBytes(length);
		}
		return status;
	}

	private void skipChunks() throws IOException {
		int size;
		do {
			size = Integer.parseInt(line(), HEXADECIMAL);
			this.in.skipNBytes(size);
			line();
		}
		while (size > 0);
	}

	private String line() throws IOException {
		StringBuilder line = new StringBuilder();
		for (int each = this.in.read(); each != '\n'; each = this.in.read()) {
			if (each < 0) {
				throw new EOFException("the connection ended within an answer");
			}
			if (each != '\r') {
				line.append((char) each);
			}
		}
		return line.toString();
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
