package io.quorate.internode.wiring;

import java.time.Duration;

import io.quorate.internode.frame.EventLoopLag;
import io.quorate.internode.peer.Peers;
import io.quorate.membership.exchange.InitialContacts;
import io.quorate.membership.exchange.LayoutThread;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.members.Layouts;
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

	private final PeersPort port;

	private final Peers peers;

	private final InitialContacts meetings;

	private final EventLoopLag lag;

	private final LayoutThread layouts;

	private final Layouts members;

	private volatile boolean running;

	/**
	 * A lifecycle that has started nothing yet.
	 * @param meetings first attempts to reach peers, which end before clients are served
	 * @param members layouts of the cluster
	 */
	InternodeLifecycle(PeersPort port, Peers peers, InitialContacts meetings, EventLoopLag lag, LayoutThread layouts,
			Layouts members) {
		this.port = port;
		this.peers = peers;
		this.meetings = meetings;
		this.lag = lag;
		this.layouts = layouts;
		this.members = members;
	}

	@Override
	public void start() {
		this.port.bind();
		this.members.follow(this);
		this.layouts.ask(this.peers);
		if (this.members.isMember()) {
			this.peers.connect();
			this.meetings.await(this.port.firstContact());
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

	/**
	 * Refuses new requests of peers, and waits a while until the running ones have
	 * finished.
	 */
	@Override
	public void stop() {
		this.running = false;
		this.layouts.stop();
		this.port.close();
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
