package io.quorate.command;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A server on this machine that acknowledges every write, and keeps nothing: a load that
 * warms itself up takes nothing from the nodes. Each connection has a virtual thread,
 * which ends with it.
 */
final class BenchStandIn implements AutoCloseable {

	private static final int MOST_WAITING = 1024;

	private static final String LENGTH = "content-length:";

	private final ServerSocket server;

	private final byte[] answer;

	BenchStandIn(int batch) throws IOException {
		String items = "{\"status\":%d}\n".formatted(Answers.CREATED).repeat(batch);
		this.answer = "HTTP/1.1 %d Created\r\nETag: \"0\"\r\nContent-Length: %d\r\n\r\n%s"
			.formatted(Answers.CREATED, items.length(), items)
			.getBytes(StandardCharsets.US_ASCII);
		this.server = new ServerSocket(0, MOST_WAITING, InetAddress.getLoopbackAddress());
		Thread.ofVirtual().start(this::accept);
	}

	URI uri() {
		return URI.create("http://127.0.0.1:" + this.server.getLocalPort());
	}

	private void accept() {
		try {
			while (true) {
				Socket connection = this.server.accept();
				Thread.ofVirtual().start(() -> answer(connection));
			}
		}
		catch (IOException closed) {
			// The load is over.
		}
	}

	private void answer(Socket connection) {
		try (connection; InputStream in = new BufferedInputStream(connection.getInputStream())) {
			connection.setTcpNoDelay(true);
			while (true) {
				in.skipNBytes(bodyLength(in));
				connection.getOutputStream().write(this.answer);
			}
		}
		catch (IOException closed) {
			// The load is over, or has opened another connection.
		}
	}

	private static int bodyLength(InputStream in) throws IOException {
		int length = 0;
		for (String line = line(in); !line.isEmpty(); line = line(in)) {
			if (line.startsWith(LENGTH)) {
				length = Integer.parseInt(line.substring(LENGTH.length()).strip());
			}
		}
		return length;
	}

	/* In small letters. */
	private static String line(InputStream in) throws IOException {
		StringBuilder line = new StringBuilder();
		for (int next = in.read(); next != '\n'; next = in.read()) {
			if (next < 0) {
				throw new EOFException();
			}
			line.append((char) next);
		}
		return line.toString().strip().toLowerCase(Locale.ROOT);
	}

	@Override
	public void close() throws IOException {
		this.server.close();
	}

}
