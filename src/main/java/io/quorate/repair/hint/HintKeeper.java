package io.quorate.repair.hint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.repair.RepairProperties;
import io.quorate.repair.hint.HintMetrics.Drop;
import io.quorate.replica.Replica;
import io.quorate.storage.StorageStartException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores and delivers the hints for all members. {@link #missed} and {@link #owedTo} may
 * be called on any thread, all other methods only on the one that takes {@link #turn
 * turns}.
 */
final class HintKeeper implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(HintKeeper.class);

	/* Bytes of an object besides those of key and value, about. */
	private static final int COST_BESIDES_BYTES = 128;

	private static final int MAX_BATCH = 1024;

	/*
	 * Fsyncs are rare, because the disk is for the write-ahead log. Comparisons find the
	 * writes whose hints a power failure has lost.
	 */
	private static final long FORCE_NANOS = Duration.ofMillis(100).toNanos();

	private static final long HOUSEKEEPING_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long WARNING_NANOS = Duration.ofMinutes(1).toNanos();

	private final Path directory;

	private final HintEnvironment around;

	private final RepairProperties properties;

	private final HintMetrics metrics;

	private final Runnable wake;

	private final Map<String, Peer> peers = new ConcurrentSkipListMap<>();

	private final AtomicBoolean isChanged = new AtomicBoolean();

	private final Queue<Missed> queue = new ConcurrentLinkedQueue<>();

	private final AtomicLong queuedBytes = new AtomicLong();

	private long forcedAt;

	private long keptHouseAt;

	private long warnedAt;

	private double droppedBefore;

	private HintKeeper(Path directory, HintEnvironment around, RepairProperties properties, HintMetrics metrics,
			Runnable wake) {
		this.directory = directory;
		this.around = around;
		this.properties = properties;
		this.metrics = metrics;
		this.wake = wake;
		long now = around.nanos().getAsLong();
		this.forcedAt = now;
		this.keptHouseAt = now;
		this.warnedAt = now - WARNING_NANOS;
	}

	/**
	 * Opens the hints of a directory.
	 * @param wake called when there is work before the next turn is due
	 * @throws StorageStartException when the directory cannot be made or read
	 */
	static HintKeeper open(Path directory, HintEnvironment around, RepairProperties properties, HintMetrics metrics,
			Runnable wake) {
		HintKeeper keeper = new HintKeeper(directory, around, properties, metrics, wake);
		keeper.followMembers();
		return keeper;
	}

	/**
	 * Some member has joined, has left, or is another replica; may be called by any
	 * thread.
	 */
	void membersChanged() {
		this.isChanged.set(true);
		this.wake.run();
	}

	private void followMembers() {
		Map<String, Replica> members = this.around.members().get();
		members.forEach((id, member) -> {
			Peer known = this.peers.get(id);
			if (known != null) {
				known.handoff.deliverTo(member);
			}
			else {
				this.peers.put(id, peer(id, member));
			}
		});
		for (String id : List.copyOf(this.peers.keySet())) {
			if (!members.containsKey(id)) {
				discard(id);
			}
		}
	}

	/**
	 * Deletes the hints for nodes that are no members. To be called before {@link #open}:
	 * a node that has yet to join needs the directory that is opened for it.
	 * @param members ids of all members by a layout that is decided
	 */
	static void discardAllBut(Path directory, Collection<String> members) {
		Set<String> named = members.stream().map(HintKeeper::nameOf).collect(Collectors.toSet());
		for (Path left : directories(directory)) {
			if (!named.contains(left.getFileName().toString())) {
				discard(left);
			}
		}
	}

	private static List<Path> directories(Path directory) {
		if (!Files.isDirectory(directory)) {
			return List.of();
		}
		try (Stream<Path> all = Files.list(directory)) {
			return all.filter(Files::isDirectory).toList();
		}
		catch (IOException | UncheckedIOException failure) {
			log.warn("{} cannot be listed: hints for nodes that have left stay there", directory, failure);
			return List.of();
		}
	}

	private static void discard(Path left) {
		try {
			HintLog.delete(left);
			log.info("The hints in {} are deleted: they are for a node that has left", left);
		}
		catch (IOException | UncheckedIOException failure) {
			log.warn("{} cannot be deleted; its hints are for a node that has left", left, failure);
		}
	}

	private void discard(String id) {
		Peer gone = this.peers.remove(id);
		if (gone != null) {
			gone.hints.discard();
			log.info("{} has left: its hints are deleted, {} of them", id, gone.backlogSize.count());
		}
	}

	private Peer peer(String id, Replica member) {
		HintMetrics.Peer counts = this.metrics.peer(id);
		try {
			HintLog hints = HintLog.open(this.directory.resolve(nameOf(id)),
					this.properties.hints().maxBytesPerPeer().toBytes(), counts);
			Handoff handoff = new Handoff(member, hints, this.around, this.properties, counts, this.wake);
			Peer peer = new Peer(hints, handoff);
			counts.owed(() -> peer.backlogSize);
			return peer;
		}
		catch (IOException failure) {
			throw new StorageStartException("the hints in %s cannot be opened: %s".formatted(this.directory, failure),
					failure);
		}
	}

	/** Escapes a leading dot of an id: such a directory could have another meaning. */
	private static String nameOf(String id) {
		return id.startsWith(".") ? "%2e" + id.substring(1) : id;
	}

	/** Records an entry that a node has missed; neither blocks nor fails. */
	void missed(Key key, Entry entry, String node) {
		Missed missed = new Missed(key, entry, node);
		long bytes = missed.bytes();
		long before = this.queuedBytes.getAndAdd(bytes);
		if (before > 0 && before + bytes > this.properties.hints().queueBytes().toBytes()) {
			this.queuedBytes.addAndGet(-bytes);
			this.metrics.dropped(Drop.QUEUE, 1);
			return;
		}
		this.queue.add(missed);
		this.wake.run();
	}

	/** The size of a member's hint backlog. */
	BacklogSize owedTo(String member) {
		Peer peer = this.peers.get(member);
		return (peer != null) ? peer.backlogSize : BacklogSize.NOTHING;
	}

	/**
	 * Stores queued hints, and delivers stored ones.
	 * @return nanoseconds until there may be more to do, unless the thread is woken
	 */
	long turn() {
		if (this.isChanged.getAndSet(false)) {
			tryToFollowMembers();
		}
		long now = this.around.nanos().getAsLong();
		boolean isMore = store();
		forceIfDue(now);
		keepHouseIfDue(now);
		long wait = isMore ? 0 : Handoff.NOTHING_TO_DO_NANOS;
		for (Peer peer : this.peers.values()) {
			wait = Math.min(wait, peer.turn());
		}
		return wait;
	}

	private void tryToFollowMembers() {
		try {
			followMembers();
		}
		catch (StorageStartException failure) {
			this.isChanged.set(true);
			log.error("Hints for a member that joins cannot be kept yet: {}", failure.getMessage());
		}
	}

	private boolean store() {
		if (this.queue.isEmpty()) {
			return false;
		}
		boolean isDiskFull = this.around.isDiskFull().getAsBoolean();
		int taken = 0;
		for (Missed next = this.queue.poll(); next != null; next = next(taken)) {
			try {
				store(next, isDiskFull);
			}
			finally {
				this.queuedBytes.addAndGet(-next.bytes());
			}
			taken++;
		}
		this.peers.values().forEach((peer) -> peer.hints.flush());
		return !this.queue.isEmpty();
	}

	private @Nullable Missed next(int taken) {
		return (taken < MAX_BATCH) ? this.queue.poll() : null;
	}

	private void store(Missed missed, boolean isDiskFull) {
		Peer peer = this.peers.get(missed.node);
		if (peer == null) {
			// A node that has left needs no hints.
			this.metrics.dropped(Drop.FAILED, this.around.members().get().containsKey(missed.node) ? 1 : 0);
		}
		else if (isDiskFull) {
			this.metrics.dropped(Drop.DISK, 1);
		}
		else {
			peer.hints.append(Hint.of(missed.key, missed.entry));
		}
	}

	private void forceIfDue(long now) {
		if (now - this.forcedAt >= FORCE_NANOS) {
			this.peers.values().forEach((peer) -> peer.hints.force());
			this.forcedAt = now;
		}
	}

	private void keepHouseIfDue(long now) {
		if (now - this.keptHouseAt >= HOUSEKEEPING_NANOS) {
			long oldest = this.around.millis().getAsLong() - this.properties.hintWindow().toMillis();
			for (Peer peer : this.peers.values()) {
				peer.hints.dropOlderThan(oldest);
				peer.hints.savePosition();
			}
			this.keptHouseAt = now;
			warnOfDropped(now);
		}
	}

	private void warnOfDropped(long now) {
		double dropped = this.metrics.allDropped();
		if (dropped > this.droppedBefore && now - this.warnedAt >= WARNING_NANOS) {
			log.warn("{} hints were dropped: members miss writes that reads and comparisons have to bring them",
					(long) (dropped - this.droppedBefore));
			this.droppedBefore = dropped;
			this.warnedAt = now;
		}
	}

	/** Writes the queued hints, and fsyncs them. */
	@Override
	public void close() {
		boolean isMore = store();
		while (isMore) {
			isMore = store();
		}
		this.peers.values().forEach((peer) -> peer.hints.close());
	}

	/** A write that a node has missed, in the queue before its log. */
	private record Missed(Key key, Entry entry, String node) {

		private int bytes() {
			int value = (this.entry instanceof Entry.Live live) ? live.value().size() : 0;
			return this.key.size() + value + COST_BESIDES_BYTES;
		}

	}

	/** The hints for one member, and their handoff. */
	private static final class Peer {

		private final HintLog hints;

		private final Handoff handoff;

		private volatile BacklogSize backlogSize;

		private Peer(HintLog hints, Handoff handoff) {
			this.hints = hints;
			this.handoff = handoff;
			this.backlogSize = hints.backlogSize();
		}

		private long turn() {
			boolean isCounting = this.hints.count();
			long wait = this.handoff.turn();
			this.backlogSize = this.hints.backlogSize();
			return isCounting ? 0 : wait;
		}

	}

}
