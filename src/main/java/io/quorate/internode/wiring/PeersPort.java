package io.quorate.internode.wiring;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.quorate.clock.Deadline;
import io.quorate.internode.InternodeProperties;
import io.quorate.internode.InternodeStartException;
import io.quorate.internode.TlsMode;
import io.quorate.internode.peer.Peers;
import io.quorate.internode.server.InternodeServer;
import io.quorate.membership.layout.Endpoint;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The port at which peers reach this node, if it has one. It is bound and closed by one
 * thread, which waits for both.
 */
final class PeersPort {

	private static final Logger log = LoggerFactory.getLogger(PeersPort.class);

	private static final Duration BIND_TIMEOUT = Duration.ofSeconds(10);

	/* Peers have deadlines of their own, and learn at once that this node drains. */
	private static final Duration DRAIN = Duration.ofSeconds(2);

	private static final long LOOK_AGAIN_NANOS = Duration.ofMillis(5).toNanos();

	private final @Nullable InternodeServer server;

	private final @Nullable Endpoint own;

	private final InternodeProperties properties;

	private final TlsMode mode;

	/**
	 * A port that is not bound yet.
	 * @param server {@code null} for a single node
	 * @param own address at which peers reach this node, {@code null} for a single node
	 * @param mode whether peers are authenticated
	 */
	PeersPort(@Nullable InternodeServer server, @Nullable Endpoint own, InternodeProperties properties, TlsMode mode) {
		this.server = server;
		this.own = own;
		this.properties = properties;
		this.mode = mode;
	}

	void bind() {
		if (this.server != null && this.own != null) {
			bind(this.server, this.own);
		}
	}

	/** The longest time to wait for the first attempts to reach peers. */
	Duration firstContact() {
		return this.properties.connectTimeout().multipliedBy(2);
	}

	/** Announces to peers that this node is about to stop. */
	void announceDeparture() {
		if (this.server != null) {
			this.server.announceDeparture();
		}
	}

	private void bind(InternodeServer starting, Endpoint here) {
		String address = this.properties.address() + ":" + here.port();
		boolean loopback = isLoopback(this.properties.address());
		requireCertificatesOrConsent(loopback);
		try {
			starting.start().orTimeout(BIND_TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
		}
		catch (CompletionException failure) {
			throw new InternodeStartException(
					"peers cannot be served at %s: %s. Another process may use the port, which is that of this node in quorate.cluster.members; the address is quorate.internode.address"
						.formatted(address, failure.getCause()),
					failure);
		}
		log.info("Peers are served at {}", address);
		if (!loopback && this.mode != TlsMode.REQUIRED) {
			log.warn(
					"Peers are served at {}: any process that reaches it may do everything, because quorate.internode.tls is {}",
					address, this.mode.word());
		}
		else if (loopback && !isLoopback(here.host())) {
			log.warn("Peers are to reach this node at {}:{}, but it listens on {} only: set quorate.internode.address",
					here.host(), here.port(), this.properties.address());
		}
	}

	private void requireCertificatesOrConsent(boolean loopback) {
		if (!loopback && this.properties.sslBundle() == null && this.properties.tls() == null) {
			throw new InternodeStartException(
					"quorate.internode.address is %s, which is not loopback, and nodes have no certificates: any process that reaches the port could do everything. Set quorate.internode.ssl-bundle (bin/certificates makes certificates), or, if the network lets only nodes in, quorate.internode.tls=off"
						.formatted(this.properties.address()),
					null);
		}
	}

	/**
	 * Whether a host is loopback. A name that cannot be resolved yet is that of another
	 * host.
	 */
	private static boolean isLoopback(String host) {
		try {
			return InetAddress.getByName(host).isLoopbackAddress();
		}
		catch (UnknownHostException unknown) {
			return false;
		}
	}

	/**
	 * Refuses new requests of peers, and waits a while until the running ones have
	 * finished.
	 */
	void close() {
		InternodeServer serving = this.server;
		if (serving == null) {
			return;
		}
		serving.drain();
		Deadline end = Deadline.after(DRAIN);
		while (!serving.isIdle() && !end.isExpired()) {
			LockSupport.parkNanos(LOOK_AGAIN_NANOS);
		}
		if (!serving.isIdle()) {
			log.warn("{} requests of peers are not finished after {}, {} bytes wait for them", serving.requestsInWork(),
					DRAIN, serving.bytesInFlight());
		}
		serving.close();
	}

}
