package io.quorate.command;

import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.quorate.client.QuorateException;
import org.jspecify.annotations.Nullable;

/**
 * A load on the nodes of a cluster. Its requests are due at constant intervals, whatever
 * the nodes answer; they go to all nodes in turn, and to no other one when they fail. A
 * request that finds all workers busy is sent later, and its latency counts from the
 * instant at which it was due.
 */
final class BenchLoad {

	private final Cluster cluster;

	private final BenchKeys keys;

	private final BenchSchedule schedule;

	private final int workers;

	private final AtomicLong next = new AtomicLong();

	BenchLoad(Cluster cluster, BenchKeys keys, BenchSchedule schedule, int workers) {
		this.cluster = cluster;
		this.keys = keys;
		this.schedule = schedule;
		this.workers = workers;
	}

	/** Sends all requests, and waits for their answers. */
	BenchResult run(Terminal terminal) {
		BenchResult result = new BenchResult(this.schedule);
		long start = System.nanoTime();
		try (Progress progress = Progress.start(terminal, "sent", ProgressUnit.of("requests"),
				() -> Math.clamp((double) (System.nanoTime() - start) / this.schedule.endNanos(), 0, 1))) {
			Workers.run(this.workers, () -> {
				boolean isMore = true;
				while (isMore) {
					isMore = sendNext(start, result, progress);
				}
			});
		}
		return result;
	}

	private boolean sendNext(long start, BenchResult result, Progress progress) {
		long request = this.next.getAndIncrement();
		if (request >= this.schedule.requests() || Thread.currentThread().isInterrupted()) {
			return false;
		}
		long due = start + this.schedule.dueNanos(request);
		awaitInstant(due);
		if (this.schedule.isOver(System.nanoTime() - start)) {
			result.notSent(request);
			return true;
		}
		boolean isRead = this.schedule.isRead(request);
		String failure = send(request, isRead);
		result.answered(request, System.nanoTime() - due, failure);
		progress.done(1);
		progress.failed((failure != null) ? 1 : 0);
		return true;
	}

	/* Ends early only for an interrupt. */
	private static void awaitInstant(long due) {
		for (long left = due - System.nanoTime(); left > 0
				&& !Thread.currentThread().isInterrupted(); left = due - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

	/* The reason for which the request has failed, or null. */
	private @Nullable String send(long request, boolean isRead) {
		List<URI> nodes = this.cluster.nodes();
		URI node = nodes.get(Math.floorMod(request, nodes.size()));
		try {
			this.cluster.ask(node, this.keys.request(isRead, BenchSchedule.key(request, this.keys.count())),
					isRead ? Answers::isValue : Answers::isWritten);
			return null;
		}
		catch (QuorateException failure) {
			return node + ": " + this.cluster.reason(failure);
		}
	}

}
