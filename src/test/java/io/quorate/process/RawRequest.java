package io.quorate.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

import javax.net.ssl.SSLContext;

/** A connection on which one request is sent, and which may end in any way. */
final class RawRequest implements AutoCloseable {

	private static final int TIMEOUT_MILLIS = 120_000;

	private final Socket socket;

	private RawRequest(Socket socket) {
		this.socket = socket;
	}

	/**
	 * Sends the head of a request.
	 * @param receiveBufferBytes how much the system takes of the answer that nobody has
	 * read yet
	 */
	static RawRequest send(NodeProcess node, int receiveBufferBytes, String method, String target, String... headers)
			throws IOException {
		Socket socket = new Socket();
		try {
			socket.setReceiveBufferSize(receiveBufferBytes);
			socket.setSoTimeout(TIMEOUT_MILLIS);
			socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), node.port()), TIMEOUT_MILLIS);
			SSLContext tls = node.tls();
			RawRequest request = new RawRequest((tls != null) ? KeptConnection.encrypted(socket, tls) : socket);
			StringBuilder head = new StringBuilder(
					method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nQuorate-Timeout: 30000\r\n");
			for (String header : headers) {
				head.append(header).append("\r\n");
			}
			request.body(head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII), Integer.MAX_VALUE);
			return request;
		}
		catch (IOException failure) {
			socket.close();
			throw failure;
		}
	}

	/** Sends the beginning of a body. */
	void body(byte[] body, int length) throws IOException {
		this.socket.getOutputStream().write(body, 0, Math.min(length, body.length));
	}

	/** Reads at most so many bytes of the answer; fewer only at its end. */
	byte[] read(int length) throws IOException {
		return this.socket.getInputStream().readNBytes(length);
	}

	/** The first line of the answer. */
	String statusLine() throws IOException {
		StringBuilder line = new StringBuilder();
		for (int next = this.socket.getInputStream().read(); next != '\n'; next = this.socket.getInputStream().read()) {
			if (next < 0) {
				throw new IOException("the connection ended within the line " + line);
			}
			line.append((char) next);
		}
		return line.toString().strip();
	}

	/** Says that nothing more comes, and takes what is on its way. */
	void finish() throws IOException {
		this.socket.shutdownOutput();
		byte[] buffer = new byte[64 * 1024];
		try {
			int read = 0;
			while (read >= 0) {
				read = this.socket.getInputStream().read(buffer);
			}
		}
		catch (SocketException reset) {
			this.socket.close();
		}
	}

	/** Breaks the connection off. */
	void reset() throws IOException {
		this.socket.setSoLinger(true, 0);
		this.socket.close();
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
