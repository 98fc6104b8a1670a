package io.quorate.command.directory;

import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

import io.quorate.client.Answer;
import io.quorate.client.QuorateException;
import io.quorate.client.Request;
import io.quorate.command.access.Answers;
import io.quorate.command.access.Cluster;
import io.quorate.command.terminal.Progress;
import io.quorate.command.terminal.ProgressUnit;
import io.quorate.command.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The progress of a backup that several nodes take, by what each of them reports of it.
 * As long as one node does not say how much it has to do, the whole is unknown. Safe for
 * threads.
 */
final class BackupWatch implements AutoCloseable {

	/* Most backups are made of hard links, and end before. */
	private static final Duration FIRST = Duration.ofSeconds(1);

	/* Each question is a line in the audit log of a node. */
	private static final Duration PERIOD = Duration.ofSeconds(5);

	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private static final int UNKNOWN = -1;

	private final Cluster cluster;

	private final String name;

	/* The nodes whose backup is under way or complete. Guarded by itself. */
	private final Map<URI, NodeBytes> nodes;

	private final Progress progress;

	private final ExecutorService pollers = Executors.newVirtualThreadPerTaskExecutor();

	private BackupWatch(Cluster cluster, String name, Map<URI, NodeBytes> nodes, Progress progress) {
		this.cluster = cluster;
		this.name = name;
		this.nodes = nodes;
		this.progress = progress;
	}

	/**
	 * Begins to ask nodes for their progress, and to draw it.
	 * @param name the name of the backup that counts
	 */
	static BackupWatch start(Cluster cluster, List<URI> nodes, String name, Terminal terminal) {
		Map<URI, NodeBytes> all = new HashMap<>();
		nodes.forEach((node) -> all.put(node, new NodeBytes(0, UNKNOWN, false)));
		Progress progress = Progress.start(terminal, "backed up", ProgressUnit.BYTES, () -> share(all));
		BackupWatch watch = new BackupWatch(cluster, name, all, progress);
		List.copyOf(all.keySet()).forEach((node) -> watch.pollers.execute(() -> watch.poll(node)));
		return watch;
	}

	private static double share(Map<URI, NodeBytes> nodes) {
		synchronized (nodes) {
			if (nodes.values().stream().anyMatch((its) -> its.bytesInAll() == UNKNOWN)) {
				return Double.NaN;
			}
			long all = nodes.values().stream().mapToLong(NodeBytes::bytesInAll).sum();
			long bytes = nodes.values().stream().mapToLong(NodeBytes::bytes).sum();
			return (all > 0) ? Math.min(1, (double) bytes / all) : Double.NaN;
		}
	}

	private void poll(URI node) {
		LockSupport.parkNanos(FIRST.toNanos());
		while (isUnderWay(node) && !Thread.currentThread().isInterrupted()) {
			try {
				Answer answer = this.cluster.ask(node, Request.read(BackupCommand.PATH), Answers::isOk,
						(options) -> options.stallTimeout(PATIENCE));
				note(node, JsonMapper.shared().readTree(answer.body()).path("underWay"));
			}
			catch (QuorateException | JacksonException silent) {
				// The node reports when it is asked the next time.
			}
			LockSupport.parkNanos(PERIOD.toNanos());
		}
	}

	private boolean isUnderWay(URI node) {
		synchronized (this.nodes) {
			NodeBytes its = this.nodes.get(node);
			return its != null && !its.isOver();
		}
	}

	private void note(URI node, JsonNode underWay) {
		if (underWay.path("name").asString("").equals(this.name)) {
			put(node, new NodeBytes(underWay.path("bytes").asLong(0), underWay.path("bytesInAll").asLong(UNKNOWN),
					false));
		}
	}

	/* Ignores a report that comes behind the end. */
	private void put(URI node, @Nullable NodeBytes now) {
		synchronized (this.nodes) {
			NodeBytes before = this.nodes.remove(node);
			if (before != null && before.isOver()) {
				this.nodes.put(node, before);
			}
			else if (before != null) {
				if (now != null) {
					this.nodes.put(node, now);
				}
				this.progress.done(((now != null) ? now.bytes() : 0) - before.bytes());
			}
		}
	}

	/**
	 * Notes that a node has taken its backup.
	 * @param message prints its answer
	 */
	void taken(URI node, long bytes, Runnable message) {
		put(node, new NodeBytes(bytes, bytes, true));
		this.progress.pauseFor(message);
	}

	/**
	 * Notes that a node has taken none.
	 * @param message prints the reason
	 */
	void failed(URI node, Runnable message) {
		put(node, null);
		this.progress.failed(1);
		this.progress.pauseFor(message);
	}

	/** Asks no more, and prints the sum. */
	@Override
	public void close() {
		this.pollers.shutdownNow();
		this.pollers.close();
		this.progress.close();
	}

	/**
	 * The bytes of a node's backup.
	 *
	 * @param bytes bytes that have their place in it
	 * @param bytesInAll bytes of all of it, negative if they are unknown
	 * @param isOver whether it is complete
	 */
	private record NodeBytes(long bytes, long bytesInAll, boolean isOver) {
	}

}
