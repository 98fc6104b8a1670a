package io.quorate.process;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.awaitility.Awaitility.await;

/**
 * The nodes that a service would send clients to: those whose readiness probe, asked
 * again and again, was answered 200 the last time, and that are not about to be deleted.
 * Safe for any number of threads.
 */
final class ReadyNodes implements AutoCloseable {

	private static final Duration START = Duration.ofMinutes(3);

	private final ClusterProcesses cluster;

	private final Duration period;

	private final Set<String> ready = ConcurrentHashMap.newKeySet();

	private final Set<String> leaving = ConcurrentHashMap.newKeySet();

	private final AtomicInteger turn = new AtomicInteger();

	private final ScheduledExecutorService probes;

	private ReadyNodes(ClusterProcesses cluster, Duration period) {
		this.cluster = cluster;
		this.period = period;
		this.probes = Executors.newScheduledThreadPool(cluster.names().size());
	}

	/** Asks each node after so much time. */
	static ReadyNodes of(ClusterProcesses cluster, Duration period) {
		ReadyNodes nodes = new ReadyNodes(cluster, period);
		for (String name : cluster.names()) {
			var _ = nodes.probes.scheduleWithFixedDelay(() -> nodes.probe(name), 0, period.toNanos(),
					TimeUnit.NANOSECONDS);
		}
		return nodes;
	}

	private void probe(String name) {
		if (isReady(name)) {
			this.ready.add(name);
			// It may have begun to leave while it was asked.
			if (this.leaving.contains(name)) {
				this.ready.remove(name);
			}
		}
		else {
			this.ready.remove(name);
		}
	}

	private boolean isReady(String name) {
		try {
			return !this.leaving.contains(name) && this.cluster.node(name).isAlive()
					&& this.cluster.client(name).getPath("/actuator/health/readiness").statusCode() == 200;
		}
		catch (IOException | RuntimeException notYet) {
			return false;
		}
		catch (InterruptedException end) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/** From now on no client is sent there. */
	void leave(String name) {
		this.leaving.add(name);
		this.ready.remove(name);
	}

	/** A new process is there; returns when it has been found ready. */
	void enter(String name) {
		this.leaving.remove(name);
		await().atMost(START).pollInterval(this.period.dividedBy(2)).until(() -> this.ready.contains(name));
	}

	/** A client of the next node, in turn. */
	NodeClient next() {
		return this.cluster.client(nextName());
	}

	/** The next node, in turn. */
	String nextName() {
		List<String> now = this.cluster.names().stream().filter(this.ready::contains).toList();
		if (now.isEmpty()) {
			throw new AssertionError("no node is ready");
		}
		return now.get(Math.floorMod(this.turn.getAndIncrement(), now.size()));
	}

	@Override
	public void close() {
		this.probes.shutdownNow();
	}

}
