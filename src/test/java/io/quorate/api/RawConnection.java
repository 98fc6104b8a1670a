package io.quorate.api;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client connection that shows every byte of HTTP/1.1, for what client libraries hide.
 */
final class RawConnection implements AutoCloseable {

	private static final int TIMEOUT_MILLIS = 60_000;

	private final Socket socket;

	private final InputStream in;

	private RawConnection(Socket socket) throws IOException {
		this.socket = socket;
		this.in = new BufferedInputStream(socket.getInputStream());
	}

	static RawConnection to(int port) throws IOException {
		return to(port, 0);
	}

	/** With a small receive buffer, so that a client that does not read is soon felt. */
	static RawConnection to(int port, int receiveBufferBytes) throws IOException {
		Socket socket = new Socket();
		if (receiveBufferBytes > 0) {
			socket.setReceiveBufferSize(receiveBufferBytes);
		}
		socket.setSoTimeout(TIMEOUT_MILLIS);
		socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
		return new RawConnection(socket);
	}

	/** Over a connection that is open. */
	static RawConnection over(Socket socket) throws IOException {
		return new RawConnection(socket);
	}

	/** Sends text as ISO-8859-1: one byte a character. */
	RawConnection send(String text) throws IOException {
		return send(text.getBytes(StandardCharsets.ISO_8859_1));
	}

	RawConnection send(byte[] bytes) throws IOException {
		this.socket.getOutputStream().write(bytes);
		this.socket.getOutputStream().flush();
		return this;
	}

	/** Sends a request without body. */
	RawConnection request(String method, String target, String... headers) throws IOException {
		StringBuilder text = new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n");
		for (String header : headers) {
			text.append(header).append("\r\n");
		}
		return send(text.append("\r\n").toString());
	}

	/** Reads one answer with its whole body. */
	Answer answer() throws IOException {
		Answer head = head();
		byte[] body;
		List<byte[]> chunks = new ArrayList<>();
		if ("chunked".equals(head.headers.get("transfer-encoding"))) {
			for (byte[] chunk = chunk(); chunk != null; chunk = chunk()) {
				chunks.add(chunk);
			}
			body = join(chunks);
		}
		else {
			body = this.in.readNBytes(Integer.parseInt(head.headers.getOrDefault("content-length", "0")));
		}
		return new Answer(head.version, head.status, head.headers, body, chunks);
	}

	/** Reads the status line and the header fields of an answer. */
	Answer head() throws IOException {
		String statusLine = line();
		assertThat(statusLine).matches("HTTP/\\d\\.\\d \\d{3} .*");
		Map<String, String> headers = new TreeMap<>();
		for (String field = line(); !field.isEmpty(); field = line()) {
			int colon = field.indexOf(':');
			headers.put(field.substring(0, colon).toLowerCase(Locale.ROOT), field.substring(colon + 1).strip());
		}
		return new Answer(statusLine.substring(0, 8), Integer.parseInt(statusLine.substring(9, 12)), headers,
				new byte[0], List.of());
	}

	/**
	 * Reads the next chunk, {@code null} for the last one.
	 * @throws IOException when the connection ends within the body
	 */
	byte @Nullable [] chunk() throws IOException {
		int size = HexFormat.fromHexDigits(line());
		byte[] chunk = this.in.readNBytes(size);
		if (chunk.length < size || !line().isEmpty()) {
			throw new IOException("the connection ended within a chunk");
		}
		return (size > 0) ? chunk : null;
	}

	/** Whether the other side has closed, nothing being left to read. */
	boolean isAtEnd() throws IOException {
		return this.in.read() < 0;
	}

	private String line() throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		for (int b = this.in.read(); b != '\n'; b = this.in.read()) {
			if (b < 0) {
				throw new IOException("the connection ended within a line");
			}
			if (b != '\r') {
				line.write(b);
			}
		}
		return line.toString(StandardCharsets.ISO_8859_1);
	}

	private static byte[] join(List<byte[]> chunks) {
		ByteArrayOutputStream joined = new ByteArrayOutputStream();
		chunks.forEach(joined::writeBytes);
		return joined.toByteArray();
	}

	/** Reads text to the end of the connection. */
	String rest() throws IOException {
		return new String(this.in.readAllBytes(), StandardCharsets.UTF_8);
	}

	/** Ends the connection the hard way. */
	void reset() throws IOException {
		this.socket.setSoLinger(true, 0);
		this.socket.close();
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

	/** One answer, as it came. */
	static final class Answer {

		final String version;

		final int status;

		final Map<String, String> headers;

		final byte[] body;

		final List<byte[]> chunks;

		Answer(String version, int status, Map<String, String> headers, byte[] body, List<byte[]> chunks) {
			this.version = version;
			this.status = status;
			this.headers = headers;
			this.body = body;
			this.chunks = chunks;
		}

		String text() {
			return new String(this.body, StandardCharsets.UTF_8);
		}

	}

}
