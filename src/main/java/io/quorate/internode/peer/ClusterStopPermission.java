package io.quorate.internode.peer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

import io.quorate.clock.Deadline;
import io.quorate.membership.StopLeases;
import io.quorate.membership.StopPermission;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks all members whether this node may stop, until they agree, all of them stop, or the
 * longest wait is over. The node serves meanwhile as before, and does not announce that
 * it drains. Its peers learn from the question, though, that it stops soon: their writes
 * do not depend on its replies from then on.
 * <p>
 * The members that stay cannot keep a node from stopping: only the node itself can wait,
 * for a while. So the stopping node waits, and not the sender of the signal. This covers
 * an eviction, a deleted pod, a shutdown of a machine and an update that began while
 * another pod was away, of which Kubernetes' own disruption budget stops only the first.
 */
public final class ClusterStopPermission implements StopPermission {

	private static final Logger log = LoggerFactory.getLogger(ClusterStopPermission.class);

	/*
	 * All members have to agree at once, well before the first of their leases runs out.
	 */
	private static final Duration ANSWER = StopLeases.LEASE.dividedBy(4);

	private static final Duration AGAIN = Duration.ofMillis(200);

	private final String self;

	private final StopLeases stopLeases;

	private final Peers peers;

	public ClusterStopPermission(String self, StopLeases stopLeases, Peers peers) {
		this.self = self;
		this.stopLeases = stopLeases;
		this.peers = peers;
	}

	@Override
	public @Nullable String await(Duration longest) {
		if (!this.stopLeases.isMember(this.self)) {
			return null;
		}
		Deadline end = Deadline.after(longest);
		String said = null;
		while (true) {
			String objection = ask();
			if (objection == null || longest.isZero() || this.stopLeases.areAllLeaving()) {
				return null;
			}
			if (end.isExpired()) {
				return objection;
			}
			if (!objection.equals(said)) {
				log.info("The stop of this node waits, for up to {} s, because {}", longest.toSeconds(), objection);
				said = objection;
			}
			LockSupport.parkNanos(Math.min(AGAIN.toNanos(), Math.max(1, end.remainingNanos())));
		}
	}

	/** The first objection of all members, or {@code null} when they agree. */
	private @Nullable String ask() {
		List<CompletableFuture<String>> answers = new ArrayList<>();
		String own = this.stopLeases.ask(this.self);
		for (PeerReplica peer : this.peers.all()) {
			answers.add(peer.mayLeave(ANSWER));
		}
		String first = (own != null) ? own : "";
		for (CompletableFuture<String> answer : answers) {
			String objection = answer.join();
			first = first.isEmpty() ? objection : first;
		}
		return first.isEmpty() ? null : first;
	}

}
