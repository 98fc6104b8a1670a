package io.quorate.api;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * The warning of tokens that another machine sends without TLS: all that listen on the
 * way have them. Written once an hour. Safe for any number of threads.
 */
final class PlainTokens {

	private static final Logger log = LoggerFactory.getLogger(PlainTokens.class);

	private static final long INTERVAL_NANOS = TimeUnit.HOURS.toNanos(1);

	private final LongSupplier nanos;

	private final AtomicLong nextNanos;

	/**
	 * A warning that was not written yet.
	 * @param nanos the monotonic clock
	 */
	PlainTokens(LongSupplier nanos) {
		this.nanos = nanos;
		this.nextNanos = new AtomicLong(nanos.getAsLong());
	}

	/** A request has a token. */
	void sent(ServerHttpRequest request) {
		InetAddress from = address(request.getRemoteAddress());
		if (from == null || from.isLoopbackAddress() || "https".equals(request.getURI().getScheme())) {
			return;
		}
		long now = this.nanos.getAsLong();
		long next = this.nextNanos.get();
		if (now - next >= 0 && this.nextNanos.compareAndSet(next, now + INTERVAL_NANOS)) {
			log.warn("{} sends a token without TLS: all on the way can read it (server.ssl.bundle)",
					from.getHostAddress());
		}
	}

	private static @Nullable InetAddress address(@Nullable InetSocketAddress remote) {
		return (remote != null) ? remote.getAddress() : null;
	}

}
