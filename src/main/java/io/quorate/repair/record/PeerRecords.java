package io.quorate.repair.record;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

import io.quorate.internode.DataStatus;
import io.quorate.internode.Position;
import io.quorate.storage.file.ChecksummedFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records of this node on its peers: the file {@code PEERS}. If the file is missing
 * or damaged, there are no records: then only other nodes notice that a peer has lost
 * data. Written by one thread, changed and read by any.
 */
public final class PeerRecords {

	public static final String FILE_NAME = "PEERS";

	private static final Logger log = LoggerFactory.getLogger(PeerRecords.class);

	private static final String INCARNATION = "incarnation";

	private static final String HISTORY = "history";

	private static final String PEER = "peer.";

	private final ChecksummedFile file;

	private final Map<String, Seen> seen = new TreeMap<>();

	private long incarnation = DataStatus.UNKNOWN_INCARNATION;

	private long history;

	private long changes;

	/* The number of changes that are on the disk; of the thread that writes. */
	private long savedChanges;

	private Map<String, Seen> onDisk = Map.of();

	/**
	 * The record of one peer.
	 *
	 * @param storageId identity of its data
	 * @param position latest position that its data has reached
	 * @param compared hybrid time up to which both were compared
	 * @param lost whether an operator has declared it lost
	 */
	public record Seen(UUID storageId, Position position, long compared, boolean lost) {

		private static final int PARTS = 6;

		static Seen parse(String text) {
			String[] parts = text.split(",", -1);
			if (parts.length != PARTS) {
				throw new IllegalArgumentException("'%s' has not six parts".formatted(text));
			}
			Position position = new Position(Long.parseLong(parts[4]), Long.parseUnsignedLong(parts[5], 16),
					Long.parseLong(parts[1]));
			return new Seen(UUID.fromString(parts[0]), position, Long.parseUnsignedLong(parts[2], 16),
					Boolean.parseBoolean(parts[3]));
		}

		String line() {
			return "%s,%d,%x,%b,%d,%016x".formatted(this.storageId, this.position.sequence(), this.compared, this.lost,
					this.position.generation(), this.position.token());
		}

	}

	private record Taken(long changes, Map<String, String> values, Map<String, Seen> seen) {
	}

	/** Writes another file. */
	@FunctionalInterface
	public interface Writing {

		void write() throws IOException;

	}

	private PeerRecords(ChecksummedFile file) {
		this.file = file;
	}

	/** Reads the file of a directory. */
	public static PeerRecords open(Path directory) {
		ChecksummedFile file = new ChecksummedFile(directory.resolve(FILE_NAME), "What was seen of the peers.");
		PeerRecords records = new PeerRecords(file);
		switch (file.read()) {
			case ChecksummedFile.Content.Values(var values) -> records.fill(values);
			case ChecksummedFile.Content.Missing _ -> {
			}
			case ChecksummedFile.Content.Damaged(var why) ->
				log.error("{} is damaged, {}: only other nodes notice data that peers lose", file.path(), why);
		}
		return records;
	}

	private void fill(Map<String, String> values) {
		try {
			String number = values.get(INCARNATION);
			this.incarnation = (number != null) ? Long.parseLong(number) : DataStatus.UNKNOWN_INCARNATION;
			this.history = Long.parseUnsignedLong(values.getOrDefault(HISTORY, "0"), 16);
			values.forEach((name, value) -> {
				if (name.startsWith(PEER)) {
					this.seen.put(name.substring(PEER.length()), Seen.parse(value));
				}
			});
			this.onDisk = Map.copyOf(this.seen);
		}
		catch (IllegalArgumentException wrong) {
			log.error("{} is not understood, {}: only other nodes notice data that peers lose", FILE_NAME,
					wrong.getMessage());
			this.seen.clear();
			this.incarnation = DataStatus.UNKNOWN_INCARNATION;
			this.history = 0;
		}
	}

	/**
	 * Forgets nodes that are no peers: before handshakes were checked against the list of
	 * members, any process that reached the port could have itself recorded here.
	 */
	synchronized void keepOnly(Set<String> peers) {
		int before = this.seen.size();
		if (this.seen.keySet().retainAll(peers)) {
			this.changes++;
			log.warn("{} names {} nodes that are no peers of this one; they are forgotten", FILE_NAME,
					before - this.seen.size());
		}
	}

	/** Forgets a peer that has left. */
	public synchronized void forget(String peer) {
		if (this.seen.remove(peer) != null) {
			this.changes++;
		}
	}

	/** Forgets all peers: this node is no member, and has none. */
	public synchronized void forgetPeers() {
		if (!this.seen.isEmpty()) {
			this.seen.clear();
			this.changes++;
		}
	}

	/** The record of a peer, or {@code null} for none. */
	public synchronized @Nullable Seen of(String peer) {
		return this.seen.get(peer);
	}

	/**
	 * Number of times that the cluster was restored, or
	 * {@link DataStatus#UNKNOWN_INCARNATION}.
	 */
	public synchronized long incarnation() {
		return this.incarnation;
	}

	/** Whether this node has learned how often the cluster was restored. */
	public synchronized boolean knowsIncarnation() {
		return this.incarnation != DataStatus.UNKNOWN_INCARNATION;
	}

	/** Number of the cluster's history, 0 if it is not known. */
	public synchronized long history() {
		return this.history;
	}

	/**
	 * Adopts the number of times that the cluster was restored, and that of its history,
	 * if they are not known because the file is new, or was lost.
	 * @return whether they were not known
	 */
	public synchronized boolean learns(long ofOthers, long historyOfOthers) {
		if (this.incarnation != DataStatus.UNKNOWN_INCARNATION) {
			return false;
		}
		this.incarnation = ofOthers;
		this.history = historyOfOthers;
		this.changes++;
		return true;
	}

	/**
	 * Adopts the number of the history that a peer of the same incarnation knows, if none
	 * is known or theirs is lower: two pairs of a new cluster may have begun one each.
	 */
	public synchronized void sharesHistory(long ofOther) {
		boolean isAdopted = ofOther != 0 && (this.history == 0 || Long.compareUnsigned(ofOther, this.history) < 0);
		if (isAdopted) {
			this.history = ofOther;
			this.changes++;
		}
	}

	/**
	 * Records the position of a peer that has reported this incarnation. If the identity
	 * of its data has changed, its earlier position and comparison are forgotten.
	 */
	public synchronized void saw(String peer, UUID storageId, Position position, long ofIncarnation) {
		if (ofIncarnation == this.incarnation) {
			saw(peer, storageId, position);
		}
	}

	private void saw(String peer, UUID storageId, Position position) {
		Seen before = this.seen.get(peer);
		Seen now = (before == null || !before.storageId().equals(storageId))
				? new Seen(storageId, position, 0, before != null && before.lost())
				: new Seen(storageId, before.position().upTo(position), before.compared(), before.lost());
		put(peer, now);
	}

	/** Records a complete comparison. */
	public synchronized void compared(String peer, UUID storageId, long instant) {
		saw(peer, storageId, Position.NONE);
		Seen before = this.seen.get(peer);
		if (before != null) {
			put(peer,
					new Seen(storageId, before.position(), Horizon.higher(before.compared(), instant), before.lost()));
		}
	}

	/** Records whether a peer is declared lost. */
	public synchronized void lost(String peer, boolean isLost) {
		Seen before = this.seen.get(peer);
		if (before != null) {
			put(peer, new Seen(before.storageId(), before.position(), before.compared(), isLost));
		}
		else if (isLost) {
			put(peer, new Seen(new UUID(0, 0), Position.NONE, 0, true));
		}
	}

	/** Whether a peer is declared lost, and that is on the disk. */
	public synchronized boolean isKnownLost(String peer) {
		Seen its = this.seen.get(peer);
		Seen recorded = this.onDisk.get(peer);
		return its != null && its.lost() && recorded != null && recorded.lost();
	}

	/**
	 * Number of the latest generation of a peer's data that is on the disk, 0 for none. A
	 * later one in memory would be forgotten by a kill, and the peer keeps none that this
	 * node is said to have passed.
	 */
	public synchronized long generationOnDisk(String peer) {
		Seen its = this.seen.get(peer);
		Seen recorded = this.onDisk.get(peer);
		return (its != null && recorded != null && recorded.storageId().equals(its.storageId()))
				? recorded.position().generation() : 0;
	}

	/** Forgets all peers: the cluster was restored. */
	public synchronized void begin(long newIncarnation, long itsHistory) {
		this.incarnation = newIncarnation;
		this.history = itsHistory;
		this.seen.clear();
		this.changes++;
	}

	private void put(String peer, Seen now) {
		if (!now.equals(this.seen.put(peer, now))) {
			this.changes++;
		}
	}

	/** Writes the file if anything has changed since. */
	public void save() throws IOException {
		save(() -> {
		});
	}

	/**
	 * Writes the file if anything has changed since. What could not be written is written
	 * by the next call.
	 * @param before called in any case, once the records are taken: writes what must be
	 * on the disk before them
	 */
	public void save(Writing before) throws IOException {
		Taken taken = take();
		before.write();
		if (taken != null) {
			this.file.write(taken.values());
			this.savedChanges = taken.changes();
			written(taken.seen());
		}
	}

	/* Null if all is on the disk. */
	private synchronized @Nullable Taken take() {
		if (this.changes == this.savedChanges) {
			return null;
		}
		Map<String, String> values = new HashMap<>();
		if (this.incarnation != DataStatus.UNKNOWN_INCARNATION) {
			values.put(INCARNATION, Long.toString(this.incarnation));
			values.put(HISTORY, Long.toHexString(this.history));
		}
		this.seen.forEach((peer, its) -> values.put(PEER + peer, its.line()));
		return new Taken(this.changes, values, Map.copyOf(this.seen));
	}

	private synchronized void written(Map<String, Seen> those) {
		this.onDisk = those;
	}

}
