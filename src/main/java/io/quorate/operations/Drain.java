package io.quorate.operations;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import io.quorate.clock.Deadline;
import io.quorate.membership.members.Membership;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The first part of a stop. Spring Boot has made the node not ready at that point. The
 * node announces its stop to its peers, and for a while still serves everything, so that
 * clients and peers go elsewhere before the port closes. Then come, by their phases, the
 * requests in flight, those of peers, and the store.
 */
final class Drain implements SmartLifecycle {

	private static final Logger log = LoggerFactory.getLogger(Drain.class);

	private final Duration delay;

	private final Membership membership;

	private volatile boolean running;

	Drain(Duration delay, Membership membership) {
		this.delay = delay;
		this.membership = membership;
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.membership.leave();
		log.info("The node stops: it is not ready any more, and serves for {} ms before its port closes",
				this.delay.toMillis());
		Deadline end = Deadline.after(this.delay);
		while (!end.isExpired()) {
			LockSupport.parkNanos(end.remainingNanos());
		}
		this.running = false;
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
