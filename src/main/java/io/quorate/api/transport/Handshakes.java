package io.quorate.api.transport;

import java.net.SocketAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The handshakes of TLS under way on one port: bounded in all, and of one address. Others
 * wait for their turn, the addresses in rotation, so that many clients that connect at
 * once are served one after the other, and none of them holds up the rest. Safe for any
 * number of threads.
 */
final class Handshakes {

	/** Most of them in all. */
	static final int MAX = 64;

	/** Most of them of one address. */
	static final int MAX_OF_ADDRESS = 16;

	private final Map<Object, Address> addresses = new LinkedHashMap<>();

	private int running;

	/** The address by which connections are counted. */
	static Object addressOf(@Nullable SocketAddress remote) {
		return (remote instanceof InetSocketAddress internet && internet.getAddress() != null) ? internet.getAddress()
				: String.valueOf(remote);
	}

	/**
	 * Begins a handshake, now or when it is its turn.
	 * @param begin runs on the thread that calls, or on that which ends another handshake
	 */
	void enter(Object address, Runnable begin) {
		synchronized (this) {
			Address its = this.addresses.computeIfAbsent(address, (_) -> new Address());
			if (this.running == MAX || its.running == MAX_OF_ADDRESS) {
				its.waiting.add(begin);
				return;
			}
			this.running++;
			its.running++;
		}
		begin.run();
	}

	/** Gives up a handshake that waits; {@code false} if it has begun. */
	synchronized boolean giveUp(Object address, Runnable begin) {
		Address its = this.addresses.get(address);
		boolean waited = its != null && its.waiting.remove(begin);
		forgetIfIdle(address);
		return waited;
	}

	/** Ends a handshake that has begun. */
	void leave(Object address) {
		Runnable next;
		synchronized (this) {
			this.running--;
			Address its = this.addresses.get(address);
			if (its != null) {
				its.running--;
				forgetIfIdle(address);
			}
			next = next();
		}
		if (next != null) {
			next.run();
		}
	}

	/* At most MAX addresses have handshakes under way; the first other one is taken. */
	private @Nullable Runnable next() {
		for (Map.Entry<Object, Address> each : this.addresses.entrySet()) {
			Address its = each.getValue();
			Runnable begin = (its.running < MAX_OF_ADDRESS) ? its.waiting.poll() : null;
			if (begin != null) {
				this.running++;
				its.running++;
				this.addresses.remove(each.getKey());
				this.addresses.put(each.getKey(), its);
				return begin;
			}
		}
		return null;
	}

	private void forgetIfIdle(Object address) {
		Address its = this.addresses.get(address);
		if (its != null && its.running == 0 && its.waiting.isEmpty()) {
			this.addresses.remove(address);
		}
	}

	synchronized int running() {
		return this.running;
	}

	private static final class Address {

		private final Deque<Runnable> waiting = new ArrayDeque<>();

		private int running;

	}

}
