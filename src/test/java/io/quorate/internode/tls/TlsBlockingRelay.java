package io.quorate.internode.tls;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.quorate.internode.tls.Encryption.EitherForm;

/**
 * Relays connections to a port of this machine. At first it closes those that begin with
 * a handshake of TLS.
 */
final class TlsBlockingRelay implements AutoCloseable {

	private final int target;

	private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

	private final Queue<Socket> plain = new ConcurrentLinkedQueue<>();

	private final Queue<Socket> open = new ConcurrentLinkedQueue<>();

	private volatile boolean passes;

	TlsBlockingRelay(int target) throws IOException {
		this.target = target;
		Thread.ofVirtual().start(this::accept);
	}

	int port() {
		return this.server.getLocalPort();
	}

	void letTlsPass() {
		this.passes = true;
	}

	/** Closes one of the plain connections. */
	void closeOne() throws IOException {
		this.plain.remove().close();
	}

	private void accept() {
		try {
			while (true) {
				Socket accepted = this.server.accept();
				this.open.add(accepted);
				Thread.ofVirtual().start(() -> relay(accepted));
			}
		}
		catch (IOException closed) {
			// The test is over.
		}
	}

	private void relay(Socket accepted) {
		try (accepted) {
			int first = accepted.getInputStream().read();
			boolean isTls = first == EitherForm.TLS_HANDSHAKE;
			if (first < 0 || (isTls && !this.passes)) {
				return;
			}
			try (Socket onward = new Socket(InetAddress.getLoopbackAddress(), this.target)) {
				this.open.add(onward);
				if (!isTls) {
					this.plain.add(accepted);
				}
				onward.getOutputStream().write(first);
				Thread back = Thread.ofVirtual().start(() -> copy(onward, accepted));
				copy(accepted, onward);
				back.join();
			}
		}
		catch (IOException | InterruptedException closed) {
			// The connection is over.
		}
	}

	private static void copy(Socket from, Socket to) {
		try (from; to) {
			InputStream in = from.getInputStream();
			OutputStream out = to.getOutputStream();
			in.transferTo(out);
		}
		catch (IOException closed) {
			// Both are closed now.
		}
	}

	@Override
	public void close() {
		try {
			this.server.close();
			for (Socket each : this.open) {
				each.close();
			}
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
	}

}
