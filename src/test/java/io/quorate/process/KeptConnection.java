package io.quorate.process;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

import org.jspecify.annotations.Nullable;

/**
 * A connection of a client to a node that is kept for many requests, one after the other,
 * and that its user ends when it wants to. It costs a fraction of what a client of the
 * JDK does, which the client for Java has, too, so that many requests a second leave the
 * processors to the nodes. Used by one thread.
 */
final class KeptConnection implements AutoCloseable {

	private static final int TIMEOUT_MILLIS = 120_000;

	private static final String LOCALHOST = "127.0.0.1";

	private final Socket socket;

	private final InputStream in;

	private boolean closing;

	private int answers;

	private boolean begun;

	private KeptConnection(Socket socket) throws IOException {
		this.socket = socket;
		this.in = new BufferedInputStream(socket.getInputStream());
	}

	/**
	 * Connects to a port of this machine.
	 * @param tls whom the client trusts and what it shows, {@code null} for HTTP
	 */
	static KeptConnection open(int port, @Nullable SSLContext tls) throws IOException {
		Socket socket = new Socket();
		try {
			socket.setTcpNoDelay(true);
			socket.setSoTimeout(TIMEOUT_MILLIS);
			socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
			return new KeptConnection((tls != null) ? encrypted(socket, tls) : socket);
		}
		catch (IOException failure) {
			socket.close();
			throw failure;
		}
	}

	/** The client's end of a connection that is open already. */
	static KeptConnection over(Socket socket) throws IOException {
		return new KeptConnection(socket);
	}

	/** Encrypts a connection that is open already. */
	static SSLSocket encrypted(Socket socket, SSLContext tls) throws IOException {
		SSLSocket encrypted = (SSLSocket) tls.getSocketFactory()
			.createSocket(socket, LOCALHOST, socket.getPort(), true);
		var parameters = encrypted.getSSLParameters();
		parameters.setEndpointIdentificationAlgorithm("HTTPS");
		encrypted.setSSLParameters(parameters);
		encrypted.startHandshake();
		return encrypted;
	}

	/** Whether it is for one more request: the node has not said that it closes it. */
	boolean isKept() {
		return !this.closing;
	}

	/**
	 * Whether the request that has just failed may be sent again on another connection
	 * (RFC 9112, section 9.3.1): the node may have closed this one while it was idle.
	 */
	boolean mayRepeat() {
		return this.answers > 0 && !this.begun;
	}

	/**
	 * Sends a request that is idempotent, and reads its answer.
	 * @param token {@code null} for none
	 * @param body ASCII, {@code null} for none
	 */
	Received exchange(String method, String target, @Nullable String token, @Nullable String body) throws IOException {
		StringBuilder request = new StringBuilder(512);
		request.append(method)
			.append(' ')
			.append(target)
			.append(" HTTP/1.1\r\nHost: ")
			.append(LOCALHOST)
			.append("\r\n");
		if (token != null) {
			request.append("Authorization: Bearer ").append(token).append("\r\n");
		}
		if (body != null) {
			request.append("Content-Length: ").append(body.length()).append("\r\n");
		}
		request.append("\r\n").append((body != null) ? body : "");
		this.begun = false;
		this.socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.US_ASCII));
		return answer();
	}

	private Received answer() throws IOException {
		String status = line();
		if (!status.startsWith("HTTP/1.1 ")) {
			throw new IOException("no answer: " + status);
		}
		int length = 0;
		for (String field = line(); !field.isEmpty(); field = line()) {
			int colon = field.indexOf(':');
			String value = field.substring(colon + 1).strip();
			switch (field.substring(0, colon).toLowerCase(Locale.ROOT)) {
				case "content-length" -> length = Integer.parseInt(value);
				case "transfer-encoding" -> throw new IOException("an answer without a length");
				case "connection" -> this.closing = value.equalsIgnoreCase("close");
				default -> {
				}
			}
		}
		byte[] body = this.in.readNBytes(length);
		if (body.length < length) {
			throw new IOException("the answer ends after %d of %d bytes".formatted(body.length, length));
		}
		this.answers++;
		return new Received(Integer.parseInt(status, 9, 12, 10), new String(body, StandardCharsets.UTF_8));
	}

	private String line() throws IOException {
		StringBuilder line = new StringBuilder(64);
		for (int next = this.in.read(); next != '\n'; next = this.in.read()) {
			if (next < 0) {
				throw new IOException("the connection ended within the line [" + line + "]");
			}
			this.begun = true;
			line.append((char) next);
		}
		return line.toString().stripTrailing();
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ended) {
			this.closing = true;
		}
	}

	/**
	 * An answer.
	 *
	 * @param status its status
	 * @param body its body
	 */
	record Received(int status, String body) {
	}

}
