package io.quorate.internode.tls;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;

import org.jspecify.annotations.Nullable;

/**
 * The origins of connections without encryption, which have nothing but an address to
 * prove that they are those of a host. Names are looked up on threads of their own, a few
 * at a time. Safe for any number of threads.
 */
final class PlainOrigins {

	static final int MAX_LOOKUPS = 8;

	private final Semaphore lookups = new Semaphore(MAX_LOOKUPS);

	private final Lookup names;

	private final Executor threads;

	PlainOrigins() {
		this(InetAddress::getAllByName, Thread.ofVirtual().name("host-lookup")::start);
	}

	/**
	 * Origins that are compared with these addresses.
	 * @param names finds the addresses of a name
	 * @param threads runs lookups, which wait
	 */
	PlainOrigins(Lookup names, Executor threads) {
		this.names = names;
		this.threads = threads;
	}

	/** The addresses of a name, by the resolver of the system. */
	@FunctionalInterface
	interface Lookup {

		InetAddress[] of(String host) throws UnknownHostException;

	}

	/**
	 * Finds the reason why a connection does not come from a host, {@code null} for none.
	 * @param from address of its other end
	 */
	CompletableFuture<@Nullable String> objection(@Nullable SocketAddress from, String host) {
		InetAddress origin = (from instanceof InetSocketAddress internet) ? internet.getAddress() : null;
		if (origin == null) {
			return CompletableFuture.completedFuture("its connection has no address");
		}
		try {
			return CompletableFuture.completedFuture(objection(origin, host, InetAddress.ofLiteral(host)));
		}
		catch (IllegalArgumentException name) {
			return lookedUp(origin, host);
		}
	}

	private CompletableFuture<@Nullable String> lookedUp(InetAddress origin, String host) {
		if (!this.lookups.tryAcquire()) {
			return CompletableFuture
				.completedFuture("the addresses of %d other hosts are looked up".formatted(MAX_LOOKUPS));
		}
		try {
			return CompletableFuture.supplyAsync(() -> lookedUpNow(origin, host), this.threads)
				.exceptionally((failure) -> notLookedUp(host, failure.getCause()));
		}
		catch (RuntimeException | Error unbegun) {
			this.lookups.release();
			return CompletableFuture.completedFuture(notLookedUp(host, unbegun));
		}
	}

	private static String notLookedUp(String host, @Nullable Throwable why) {
		return "its host '%s' cannot be looked up: %s".formatted(host, why);
	}

	private @Nullable String lookedUpNow(InetAddress origin, String host) {
		try {
			return objection(origin, host, this.names.of(host));
		}
		catch (UnknownHostException unknown) {
			return "its host '%s' has no address here".formatted(host);
		}
		finally {
			this.lookups.release();
		}
	}

	private static @Nullable String objection(InetAddress origin, String host, InetAddress... its) {
		return List.of(its).contains(origin) ? null
				: "it comes from %s, which is no address of its host '%s'".formatted(origin.getHostAddress(), host);
	}

}
