package io.quorate.client;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

import org.jspecify.annotations.Nullable;

/**
 * A node on loopback that answers the n-th request by the n-th script, byte by byte, and
 * all later ones by the last.
 */
final class HostileServer implements AutoCloseable {

	private final ServerSocket listening;

	private final @Nullable SSLContext tls;

	private final List<Script> scripts;

	private final List<Received> received = new CopyOnWriteArrayList<>();

	private final List<Connection> connections = new CopyOnWriteArrayList<>();

	private final CountDownLatch ended = new CountDownLatch(1);

	HostileServer(@Nullable SSLContext tls, Script... scripts) {
		this.tls = tls;
		this.scripts = List.of(scripts);
		try {
			this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException failure) {
			throw new IllegalStateException(failure);
		}
		Thread thread = new Thread(this::accept, "hostile");
		thread.setDaemon(true);
		thread.start();
	}

	String url() {
		return ((this.tls != null) ? "https" : "http") + "://127.0.0.1:" + this.listening.getLocalPort();
	}

	int port() {
		return this.listening.getLocalPort();
	}

	List<Received> received() {
		return this.received;
	}

	/** Returns the number of connections that clients have made. */
	int connections() {
		return this.connections.size();
	}

	/** Returns the number of connections that neither side has ended. */
	long openConnections() {
		return this.connections.stream().filter((each) -> each.isOpen).count();
	}

	private void accept() {
		while (true) {
			try {
				Socket socket = this.listening.accept();
				Connection connection = new Connection(socket);
				this.connections.add(connection);
				Thread thread = new Thread(connection::serve, "hostile-connection");
				thread.setDaemon(true);
				thread.start();
			}
			catch (IOException closed) {
				return;
			}
		}
	}

	@Override
	public void close() {
		this.ended.countDown();
		try {
			this.listening.close();
		}
		catch (IOException failure) {
			throw new IllegalStateException(failure);
		}
		this.connections.forEach(Connection::cut);
	}

	/** The answer to a request. */
	@FunctionalInterface
	interface Script {

		void answer(Connection connection, Received request) throws IOException, InterruptedException;

	}

	/**
	 * A request as the server has it.
	 *
	 * @param method its method
	 * @param target its path and query
	 * @param fields its fields, by names in lower case
	 * @param body its body, as Latin-1
	 */
	record Received(String method, String target, Map<String, String> fields, String body) {
	}

	/** One connection of a client. */
	final class Connection {

		private Socket socket;

		private @Nullable InputStream input;

		private volatile boolean isOpen = true;

		Connection(Socket socket) {
			this.socket = socket;
		}

		private void serve() {
			try {
				if (HostileServer.this.tls != null) {
					SSLSocket secure = (SSLSocket) HostileServer.this.tls.getSocketFactory()
						.createSocket(this.socket, null, this.socket.getPort(), true);
					secure.setUseClientMode(false);
					this.socket = secure;
				}
				this.socket.setTcpNoDelay(true);
				InputStream from = new BufferedInputStream(this.socket.getInputStream());
				this.input = from;
				while (true) {
					Received request = read(from);
					if (request == null) {
						break;
					}
					Script script;
					synchronized (HostileServer.this.received) {
						int number = HostileServer.this.received.size();
						script = HostileServer.this.scripts
							.get(Math.min(number, HostileServer.this.scripts.size() - 1));
						HostileServer.this.received.add(request);
					}
					script.answer(this, request);
				}
			}
			catch (IOException | InterruptedException end) {
				// The client has ended it, or the test.
			}
			close();
		}

		void send(byte[] bytes) throws IOException {
			this.socket.getOutputStream().write(bytes);
			this.socket.getOutputStream().flush();
		}

		/** Ends the connection by a reset. */
		void cut() {
			try {
				this.socket.setSoLinger(true, 0);
			}
			catch (IOException closed) {
				// Then there is nothing to reset.
			}
			close();
		}

		void close() {
			try {
				this.socket.close();
			}
			catch (IOException failure) {
				// The socket is gone nevertheless.
			}
			this.isOpen = false;
		}

		/** Sends nothing until the client ends the connection, or the test. */
		void standStill() throws IOException {
			InputStream from = this.input;
			if (from != null) {
				from.transferTo(OutputStream.nullOutputStream());
			}
		}

		/** Waits; ends early with the test. */
		void pause(long millis) throws InterruptedException {
			if (HostileServer.this.ended.await(millis, TimeUnit.MILLISECONDS)) {
				throw new InterruptedException("the test has ended");
			}
		}

		private static @Nullable Received read(InputStream from) throws IOException {
			String line = line(from);
			if (line.isEmpty()) {
				return null;
			}
			String[] parts = line.split(" ", 3);
			Map<String, String> fields = new LinkedHashMap<>();
			for (String field = line(from); !field.isEmpty(); field = line(from)) {
				int colon = field.indexOf(':');
				fields.put(field.substring(0, colon).toLowerCase(Locale.ROOT), field.substring(colon + 1).strip());
			}
			int length = Integer.parseInt(fields.getOrDefault("content-length", "0"));
			byte[] body = from.readNBytes(length);
			if (body.length < length) {
				return null;
			}
			return new Received(parts[0], parts[1], fields, new String(body, StandardCharsets.ISO_8859_1));
		}

		private static String line(InputStream from) throws IOException {
			ByteArrayOutputStream line = new ByteArrayOutputStream();
			for (int next = from.read(); next >= 0 && next != '\n'; next = from.read()) {
				if (next != '\r') {
					line.write(next);
				}
			}
			return line.toString(StandardCharsets.ISO_8859_1);
		}

	}

}
