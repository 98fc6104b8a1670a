package io.quorate.repair.record;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import io.quorate.clock.TimeSource;
import io.quorate.internode.Position;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.ChecksummedFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The history of this node's data, cut into generations with random tokens: the file
 * {@code LINEAGE}. A peer that remembers a position which is not of this history has seen
 * data that is lost, however far the directory has grown since.
 * <p>
 * A generation begins at each start, and every few seconds while entries are written and
 * positions are sent to peers. Invariants: (1) a generation is on the disk before its
 * number is sent to a peer; (2) no position above the last sequence of a generation was
 * ever sent under its token; (3) a generation is sent only to peers for which it is kept,
 * and is kept until all of them have reported that they remember a later one, so that a
 * position that a peer may still remember can be distinguished from one of another
 * history. Safe for any number of threads; {@link #advance} and {@link #settle} wait for
 * the disk.
 */
public final class Lineage {

	static final String FILE_NAME = "LINEAGE";

	/** Age at which a generation ends while entries are written. */
	static final Duration AGE = Duration.ofSeconds(5);

	/*
	 * Most generations that are kept while peers are away, unless so many may be
	 * remembered. Beyond that the oldest is dropped that none of them remembers.
	 */
	static final int MAX_KEPT = 256;

	/*
	 * A peer that is away remembers the last generation that it has reported, or one of
	 * the next: those that begin until its connections are known to be gone.
	 */
	private static final int KEPT_FOR_EACH = 5;

	private static final Logger log = LoggerFactory.getLogger(Lineage.class);

	private static final String STORAGE_ID = "storage-id";

	private static final String SETTLED = "settled";

	private static final String GENERATION = "generation.";

	private static final String RECALLED = "recalled.";

	private static final String OPEN = "-";

	private final ChecksummedFile file;

	private final UUID storageId;

	private final Set<String> peers = ConcurrentHashMap.newKeySet();

	private final LongSupplier durableSequence;

	private final LongSupplier nanoTime;

	private final LongSupplier millis;

	private final Random tokens;

	/* Taken before the monitor: one file at a time. */
	private final Object writing = new Object();

	private final TreeMap<Long, Generation> generations = new TreeMap<>();

	/* Of each peer, the number of the latest generation that it remembers. */
	private final Map<String, Long> recalled = new HashMap<>();

	/* Of each peer that has joined since the start, the generation of that time. */
	private final Map<String, Long> joined = new HashMap<>();

	private long settled;

	private volatile Current current;

	private volatile boolean asked;

	/**
	 * A generation of this history.
	 *
	 * @param last highest sequence that can have been sent under its token; the largest
	 * number while it is the current one
	 */
	private record Generation(long token, long last) {

		static Generation parse(String text) {
			String[] parts = text.split(",", -1);
			if (parts.length != 2) {
				throw new IllegalArgumentException("'%s' has not two parts".formatted(text));
			}
			return new Generation(Long.parseUnsignedLong(parts[0], 16),
					parts[1].equals(OPEN) ? Long.MAX_VALUE : Long.parseLong(parts[1]));
		}

		Generation upTo(long sequence) {
			return new Generation(this.token, Math.min(this.last, sequence));
		}

		String line() {
			return "%016x,%s".formatted(this.token, (this.last == Long.MAX_VALUE) ? OPEN : Long.toString(this.last));
		}

	}

	/** The current generation, whose positions are sent to peers. */
	private static final class Current {

		private final long number;

		private final long token;

		private final long firstSequence;

		private final long sinceNanos;

		private volatile boolean told;

		private Current(long number, long token, long firstSequence, long sinceNanos) {
			this.number = number;
			this.token = token;
			this.firstSequence = firstSequence;
			this.sinceNanos = sinceNanos;
		}

	}

	/**
	 * The sources of a lineage: a sequence, clocks and random numbers.
	 *
	 * @param durableSequence durable sequence of the store
	 * @param nanoTime the monotonic clock
	 * @param millis the physical clock, in milliseconds since the epoch
	 * @param tokens random numbers that no two processes draw alike, even if they are
	 * copies
	 */
	public record Sources(LongSupplier durableSequence, LongSupplier nanoTime, LongSupplier millis, Random tokens) {

		public static Sources of(LongSupplier durableSequence) {
			return new Sources(durableSequence, System::nanoTime, TimeSource.SYSTEM::millis, new SecureRandom());
		}

	}

	private Lineage(ChecksummedFile file, UUID storageId, Set<String> peers, Sources sources) {
		this.file = file;
		this.storageId = storageId;
		this.peers.addAll(peers);
		this.durableSequence = sources.durableSequence();
		this.nanoTime = sources.nanoTime();
		this.millis = sources.millis();
		this.tokens = sources.tokens();
		read();
		this.current = drawn(highest() + 1);
	}

	/**
	 * Reads the file of a directory, and begins a generation, which is on the disk
	 * afterwards.
	 * @param storageId identity of the data; a history of other data is ignored
	 * @param peers all other members now
	 * @throws StorageStartException when the file cannot be written
	 */
	public static Lineage open(Path directory, UUID storageId, Set<String> peers, Sources sources) {
		ChecksummedFile file = new ChecksummedFile(directory.resolve(FILE_NAME), "The history of this directory.");
		Lineage lineage = new Lineage(file, storageId, peers, sources);
		try {
			lineage.begin(lineage.current, lineage.settled);
		}
		catch (IOException failure) {
			throw new StorageStartException("%s cannot be written: %s".formatted(file.path(), failure), failure);
		}
		return lineage;
	}

	/** Identity of the data whose history this is. */
	public UUID storageId() {
		return this.storageId;
	}

	private void read() {
		switch (this.file.read()) {
			case ChecksummedFile.Content.Values(var values) -> fill(values);
			case ChecksummedFile.Content.Missing _ -> {
			}
			case ChecksummedFile.Content.Damaged(var why) -> damaged(why);
		}
	}

	private void fill(Map<String, String> values) {
		if (!this.storageId.toString().equals(values.get(STORAGE_ID))) {
			return;
		}
		try {
			this.settled = Long.parseLong(values.getOrDefault(SETTLED, "0"));
			values.forEach((name, value) -> {
				if (name.startsWith(GENERATION)) {
					this.generations.put(Long.parseLong(name.substring(GENERATION.length())), Generation.parse(value));
				}
				else if (name.startsWith(RECALLED)) {
					this.recalled.put(name.substring(RECALLED.length()), Long.parseLong(value));
				}
			});
		}
		catch (IllegalArgumentException wrong) {
			damaged(String.valueOf(wrong.getMessage()));
		}
	}

	private void damaged(String why) {
		log.error("{} is damaged, {}: if a peer remembers this directory, the node is rebuilt", FILE_NAME, why);
		this.generations.clear();
		this.recalled.clear();
		this.settled = 0;
	}

	private long highest() {
		return this.generations.isEmpty() ? this.settled : this.generations.lastKey();
	}

	/*
	 * A number is also the time: so if two histories have begun at one copy, the numbers
	 * that peers see of the later one are above all that the earlier one has settled.
	 */
	private Current drawn(long atLeast) {
		long number = Math.max(atLeast, this.millis.getAsLong());
		return new Current(number, this.tokens.nextLong(), this.durableSequence.getAsLong(), this.nanoTime.getAsLong());
	}

	/** Position of the data, not to be sent: all data up to it is on the disk. */
	public Position position() {
		return position(false);
	}

	/**
	 * Position of the data as it may be sent to a node. One for which no generations are
	 * kept, such as a candidate, is sent the sequence alone.
	 */
	public Position position(String node) {
		return this.peers.contains(node) ? position(true) : Position.ofSequence(this.durableSequence.getAsLong());
	}

	private Position position(boolean isSent) {
		while (true) {
			Current now = this.current;
			long sequence = this.durableSequence.getAsLong();
			/*
			 * The sequence was read before the next generation began, so it is not above
			 * the last one of this generation.
			 */
			if (now == this.current) {
				if (isSent) {
					now.told = true;
				}
				return new Position(now.number, now.token, sequence);
			}
		}
	}

	/**
	 * Evidence that a peer has seen data which this directory lacks, or {@code null} for
	 * none.
	 */
	public synchronized @Nullable String loss(String peer, Position remembered) {
		long here = this.durableSequence.getAsLong();
		if (remembered.generation() == 0) {
			return (remembered.sequence() > here)
					? "%s has seen %d entries of it, %d are there".formatted(peer, remembered.sequence(), here) : null;
		}
		if (remembered.generation() < Math.max(this.settled, this.recalled.getOrDefault(peer, 0L))) {
			return null;
		}
		Generation its = this.generations.get(remembered.generation());
		if (its == null || its.token() != remembered.token()) {
			return "%s has seen it at %s, which is not of the history of this directory".formatted(peer, remembered);
		}
		long last = Math.min(its.last(), here);
		return (remembered.sequence() > last)
				? "%s has seen it at %s, of which %d are in this directory".formatted(peer, remembered, last) : null;
	}

	/**
	 * Records that a peer, which shows no loss, remembers a generation, and none before
	 * it.
	 */
	public synchronized void recalled(String peer, long generation) {
		if (generation <= this.current.number && this.peers.contains(peer)) {
			this.recalled.merge(peer, generation, Math::max);
		}
	}

	/** Keeps generations for a peer, too, until it remembers them. */
	public synchronized void follow(String peer) {
		if (this.peers.add(peer)) {
			this.joined.put(peer, this.current.number);
		}
	}

	/** Keeps no generation for a peer that has left. */
	public synchronized void forget(String peer) {
		this.peers.remove(peer);
		this.recalled.remove(peer);
		this.joined.remove(peer);
	}

	/** Requests the next generation soon: disconnected peers remember this one. */
	public void ask() {
		this.asked = true;
	}

	/**
	 * Begins the next generation if it is due. A generation goes on while no position of
	 * it was sent to a peer, or nothing was written in it: a next one would show nothing
	 * more.
	 * @throws IOException when it could not be written; the next call tries again
	 */
	public void advance() throws IOException {
		// A concurrent settle would be undone.
		synchronized (this.writing) {
			Current now = this.current;
			boolean isOld = this.asked || this.nanoTime.getAsLong() - now.sinceNanos >= AGE.toNanos();
			if (isOld && now.told && this.durableSequence.getAsLong() != now.firstSequence) {
				begin(drawn(now.number + 1), this.settled);
				this.asked = false;
			}
		}
	}

	/**
	 * Settles all earlier losses: positions that peers remember of generations before the
	 * one that begins now are no loss any more.
	 * @param remembered number of the latest generation that any peer remembers
	 */
	public void settle(long remembered) throws IOException {
		synchronized (this.writing) {
			Current begun = drawn(Math.max(this.current.number, remembered) + 1);
			begin(begun, begun.number);
		}
	}

	private void begin(Current next, long nowSettled) throws IOException {
		synchronized (this.writing) {
			NavigableMap<Long, Generation> kept = keptBefore(next, nowSettled);
			kept.put(next.number, new Generation(next.token, Long.MAX_VALUE));
			write(kept, nowSettled);
			synchronized (this) {
				Current before = this.current;
				this.current = next;
				long last = this.durableSequence.getAsLong();
				this.generations.clear();
				this.generations.putAll(kept);
				this.generations.computeIfPresent(before.number, (_, its) -> (before == next) ? its : its.upTo(last));
				this.settled = nowSettled;
			}
		}
	}

	/*
	 * At a start all generations have ended at the sequence of the directory. Later on
	 * the current one has not ended before positions of the next one are sent: the file
	 * says so, and the next start ends it.
	 */
	private synchronized NavigableMap<Long, Generation> keptBefore(Current next, long nowSettled) {
		TreeMap<Long, Generation> kept = new TreeMap<>(this.generations);
		if (next == this.current) {
			kept.replaceAll((_, its) -> its.upTo(next.firstSequence));
		}
		// A peer that is followed while the next one is written may be sent this one.
		kept.headMap(Math.max(nowSettled, Math.min(recalledByAll(), this.current.number))).clear();
		if (kept.size() >= MAX_KEPT) {
			drop(kept, kept.size() - MAX_KEPT + 1);
		}
		return kept;
	}

	/* The last of all is that which ends now. */
	private void drop(NavigableMap<Long, Generation> kept, int count) {
		Set<Long> remembered = new HashSet<>(Set.of(kept.lastKey()));
		for (String peer : this.peers) {
			long reported = Math.max(this.recalled.getOrDefault(peer, 0L), this.joined.getOrDefault(peer, 0L));
			kept.tailMap(reported).keySet().stream().limit(KEPT_FOR_EACH).forEach(remembered::add);
		}
		List<Long> dropped = kept.keySet()
			.stream()
			.filter((number) -> !remembered.contains(number))
			.limit(count)
			.toList();
		kept.keySet().removeAll(dropped);
	}

	private long recalledByAll() {
		return this.peers.stream()
			.mapToLong((peer) -> this.recalled.getOrDefault(peer, 0L))
			.min()
			.orElse(Long.MAX_VALUE);
	}

	private void write(Map<Long, Generation> kept, long nowSettled) throws IOException {
		Map<String, String> values = new HashMap<>();
		values.put(STORAGE_ID, this.storageId.toString());
		values.put(SETTLED, Long.toString(nowSettled));
		kept.forEach((number, its) -> values.put(GENERATION + number, its.line()));
		synchronized (this) {
			this.recalled.forEach((peer, number) -> values.put(RECALLED + peer, Long.toString(number)));
		}
		this.file.write(values);
	}

	/** Number of generations that are kept. */
	synchronized int size() {
		return this.generations.size();
	}

}
