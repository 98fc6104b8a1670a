package io.quorate.command.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

import io.quorate.command.access.Answers;

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
		try (connection;
				BufferedReader in = new BufferedReader(
						new InputStreamReader(connection.getInputStream(), StandardCharsets.ISO_8859_1))) {
			connection.setTcpNoDelay(true);
			long length = 0;
			for (String line = in.readLine(); line != null; line = in.readLine()) {
				if (line.regionMatches(true, 0, LENGTH, 0, LENGTH.length())) {
					length = Long.parseLong(line.substring(LENGTH.length()).strip());
				}
				if (line.isEmpty() && in.skip(length) == length) {
					connection.getOutputStream().write(this.answer);
				}
			}
		}
		catch (IOException closed) {
			// The load is over, or has opened another connection.
		}
	}

	@Override
	public void close() throws IOException {
		this.server.close();
	}

}
