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
import io.quorate.internode.frame.EventLoopLag;
import io.quorate.internode.peer.Peers;
import io.quorate.internode.server.InternodeServer;
import io.quorate.membership.exchange.InitialContacts;
import io.quorate.membership.exchange.LayoutThread;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Serves peers and connects to them before this node serves clients, and goes on until it
 * serves no client any more. Peers learn that this node is about to stop as soon as it
 * knows.
 */
final class InternodeLifecycle implements SmartLifecycle, LayoutFollower {

	private static final Logger log = LoggerFactory.getLogger(InternodeLifecycle.class);

	/*
	 * Later than the event loops, earlier than the server for clients.
	 */
	static final int PHASE = WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE - 2;

	private static final Duration BIND_TIMEOUT = Duration.ofSeconds(10);

	/* Peers have deadlines of their own, and learn at once that this node drains. */
	private static final Duration DRAIN = Duration.ofSeconds(2);

	private static final long LOOK_AGAIN_NANOS = Duration.ofMillis(5).toNanos();

	private final @Nullable InternodeServer server;

	private final Peers peers;

	private final InitialContacts meetings;

	private final @Nullable Endpoint own;

	private final InternodeProperties properties;

	private final TlsMode mode;

	private final Membership membership;

	private final EventLoopLag lag;

	private final LayoutThread layouts;

	private final Layouts members;

	private volatile boolean running;

	/**
	 * A lifecycle that has started nothing yet.
	 * @param server {@code null} for a single node
	 * @param meetings first attempts to reach peers, which end before clients are served
	 * @param mode whether peers are authenticated
	 * @param members layouts of the cluster
	 * @param own address at which peers reach this node, {@code null} for a single node
	 */
	InternodeLifecycle(@Nullable InternodeServer server, Peers peers, InitialContacts meetings, @Nullable Endpoint own,
			InternodeProperties properties, TlsMode mode, Membership membership, EventLoopLag lag, LayoutThread layouts,
			Layouts members) {
		this.server = server;
		this.peers = peers;
		this.meetings = meetings;
		this.own = own;
		this.properties = properties;
		this.mode = mode;
		this.membership = membership;
		this.lag = lag;
		this.layouts = layouts;
		this.members = members;
	}

	@Override
	public void start() {
		if (this.server != null && this.own != null) {
			bind(this.server, this.own);
			this.membership.onLeave(this.server::announceDeparture);
		}
		this.members.follow(this);
		this.layouts.ask(this.peers);
		if (this.members.isMember()) {
			this.peers.connect();
			this.meetings.await(this.properties.connectTimeout().multipliedBy(2));
			this.layouts.awaitLearned();
			if (!this.members.isMember()) {
				log.warn("This node is no member of the cluster by version {} of the layout, as a member has shown it",
						this.members.current().version());
			}
		}
		else {
			log.info("This node is no member of the cluster: it waits as a candidate until it is added");
			this.meetings.await(Duration.ZERO);
		}
		this.lag.start();
		this.layouts.start();
		this.running = true;
	}

	/** A candidate connects to all members once it is one itself. */
	@Override
	public void adopted(Layout now) {
		if (this.members.isMember()) {
			this.peers.connect();
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
	@Override
	public void stop() {
		this.running = false;
		this.layouts.stop();
		if (this.server != null) {
			this.server.drain();
			Deadline end = Deadline.after(DRAIN);
			while (!this.server.isIdle() && !end.isExpired()) {
				LockSupport.parkNanos(LOOK_AGAIN_NANOS);
			}
			if (!this.server.isIdle()) {
				log.warn("{} requests of peers are not finished after {}, {} bytes wait for them",
						this.server.requestsInWork(), DRAIN, this.server.bytesInFlight());
			}
			this.server.close();
		}
		this.peers.close();
		this.lag.stop();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
