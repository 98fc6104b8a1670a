package io.quorate.internode;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A wire between a peer and a server that can be slow, or frozen: then what is sent stays
 * where it is, as when the process at the other end is stopped. The server may be another
 * one after a while, or none.
 */
public final class FreezableProxy implements AutoCloseable {

	private volatile int target;

	private final ServerSocket listening;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition thawed = this.lock.newCondition();

	private boolean frozen;

	private volatile long nanosPerByte;

	public FreezableProxy(int target) throws IOException {
		this(target, 50);
	}

	/**
	 * A wire of which the kernel drops attempts to connect when so many have not been
	 * taken yet.
	 */
	public FreezableProxy(int target, int backlog) throws IOException {
		this(new ServerSocket(0, backlog, InetAddress.getLoopbackAddress()), target);
	}

	/** A wire whose near end is at an address of this machine. */
	public FreezableProxy(InetAddress address, int port, int target) throws IOException {
		this(new ServerSocket(port, 50, address), target);
	}

	private FreezableProxy(ServerSocket listening, int target) {
		this.target = target;
		this.listening = listening;
		Thread.ofVirtual().start(this::accept);
	}

	public int port() {
		return this.listening.getLocalPort();
	}

	/** From now on new connections lead to another server. */
	public void lead(int newTarget) {
		this.target = newTarget;
	}

	/** From now on passes on at most so many bytes in a second on each connection. */
	public void slowDown(int bytesPerSecond) {
		this.nanosPerByte = Duration.ofSeconds(1).toNanos() / bytesPerSecond;
	}

	/** Closes all connections; new ones are taken. */
	public void cut() throws IOException {
		for (Socket socket : this.sockets) {
			socket.close();
		}
	}

	public void freeze() {
		setFrozen(true);
	}

	public void thaw() {
		setFrozen(false);
	}

	public boolean isFrozen() {
		this.lock.lock();
		try {
			return this.frozen;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void setFrozen(boolean state) {
		this.lock.lock();
		try {
			this.frozen = state;
			this.thawed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	private void accept() {
		try {
			while (true) {
				Socket near = this.listening.accept();
				awaitThaw();
				join(near);
			}
		}
		catch (IOException closed) {
			// the end of this proxy
		}
	}

	private void join(Socket near) throws IOException {
		this.sockets.add(near);
		try {
			Socket far = new Socket(InetAddress.getLoopbackAddress(), this.target);
			this.sockets.add(far);
			Thread.ofVirtual().start(() -> pump(near, far));
			Thread.ofVirtual().start(() -> pump(far, near));
		}
		catch (IOException noServer) {
			// Refused, or reset by a server that closes: the next one is taken.
			near.close();
		}
	}

	private void pump(Socket from, Socket to) {
		try (from; to; InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
			byte[] buffer = new byte[16 * 1024];
			int read = in.read(buffer);
			while (read >= 0) {
				awaitThaw();
				out.write(buffer, 0, read);
				LockSupport.parkNanos(read * this.nanosPerByte);
				read = in.read(buffer);
			}
		}
		catch (IOException closed) {
			// one of the two ends is gone, and so is the other
		}
	}

	private void awaitThaw() {
		this.lock.lock();
		try {
			while (this.frozen) {
				this.thawed.awaitUninterruptibly();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void close() throws IOException {
		this.listening.close();
		thaw();
		for (Socket socket : this.sockets) {
			socket.close();
		}
	}

}
