package io.quorate.operations;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import io.quorate.clock.Deadline;
import io.quorate.membership.Membership;
import io.quorate.membership.StopPermission;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The first part of a stop. Spring Boot has made the node not ready at that point. A pod
 * that its StatefulSet is not to have any more leaves the cluster now. Then the node
 * waits, for a while, until all members agree to its stop; then it notifies its peers.
 * For a while it still serves everything, so that clients and peers go elsewhere before
 * the port closes. Then come, by their phases, the requests in flight, those of peers,
 * and the store.
 */
final class Drain implements SmartLifecycle {

	private static final Logger log = LoggerFactory.getLogger(Drain.class);

	private final OperationsProperties properties;

	private final ScaleDown scaleDown;

	private final StopPermission lease;

	private final Membership membership;

	private final LastStop stop;

	private volatile boolean running;

	Drain(OperationsProperties properties, ScaleDown scaleDown, StopPermission lease, Membership membership,
			LastStop stop) {
		this.properties = properties;
		this.scaleDown = scaleDown;
		this.lease = lease;
		this.membership = membership;
		this.stop = stop;
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		leaveIfScaledDown();
		this.stop.begin();
		Duration wait = this.properties.leaveWait();
		String objection = this.lease.await(wait);
		if (objection != null) {
			log.warn("The node stops after {} s although {}", wait.toSeconds(), objection);
		}
		this.membership.leave();
		log.info("The node stops: it is not ready any more, and serves for {} ms before its port closes",
				this.properties.drainDelay().toMillis());
		Deadline end = Deadline.after(this.properties.drainDelay());
		while (!end.isExpired()) {
			LockSupport.parkNanos(end.remainingNanos());
		}
		this.running = false;
	}

	/* A node that cannot leave stops all the same, and in the same order. */
	private void leaveIfScaledDown() {
		try {
			this.scaleDown.leaveIfScaledDown();
		}
		catch (RuntimeException failure) {
			log.error("The node stops without leaving the cluster: it does not know whether it is to", failure);
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/** Before everything else stops. */
	@Override
	public int getPhase() {
		return Integer.MAX_VALUE;
	}

}
