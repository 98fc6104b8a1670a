package io.quorate.repair.purge;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

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
final class PeerRecords {

	static final String FILE_NAME = "PEERS";

	private static final Logger log = LoggerFactory.getLogger(PeerRecords.class);

	private static final String INCARNATION = "incarnation";

	private static final String PEER = "peer.";

	private final ChecksummedFile file;

	private final Map<String, Seen> seen = new TreeMap<>();

	private long incarnation;

	private boolean isIncarnationKnown;

	private boolean changed;

	private Set<String> lostOnDisk = Set.of();

	/**
	 * The record of one peer.
	 *
	 * @param storageId identity of its data
	 * @param position latest position that its data has reached
	 * @param compared hybrid time up to which both were compared
	 * @param lost whether an operator has declared it lost
	 */
	record Seen(UUID storageId, Position position, long compared, boolean lost) {

		private static final int PARTS = 6;

		/* Of the format before there were generations. */
		private static final int PARTS_WITHOUT_GENERATION = 4;

		static Seen parse(String text) {
			String[] parts = text.split(",", -1);
			long sequence = Long.parseLong(parts[1]);
			Position position = switch (parts.length) {
				case PARTS -> new Position(Long.parseLong(parts[4]), Long.parseUnsignedLong(parts[5], 16), sequence);
				case PARTS_WITHOUT_GENERATION -> Position.ofSequence(sequence);
				default -> throw new IllegalArgumentException("'%s' has not six parts".formatted(text));
			};
			return new Seen(UUID.fromString(parts[0]), position, Long.parseUnsignedLong(parts[2], 16),
					Boolean.parseBoolean(parts[3]));
		}

		String line() {
			return "%s,%d,%x,%b,%d,%016x".formatted(this.storageId, this.position.sequence(), this.compared, this.lost,
					this.position.generation(), this.position.token());
		}

	}

	private PeerRecords(ChecksummedFile file) {
		this.file = file;
	}

	/** Reads the file of a directory. */
	static PeerRecords open(Path directory) {
		ChecksummedFile file = new ChecksummedFile(directory.resolve(FILE_NAME), "What was seen of the peers.");
		PeerRecords book = new PeerRecords(file);
		switch (file.read()) {
			case ChecksummedFile.Content.Values(var values) -> book.fill(values);
			case ChecksummedFile.Content.Missing _ -> {
			}
			case ChecksummedFile.Content.Damaged(var why) ->
				log.error("{} is damaged, {}: only other nodes notice data that peers lose", file.path(), why);
		}
		return book;
	}

	private void fill(Map<String, String> values) {
		try {
			this.incarnation = Long.parseLong(values.getOrDefault(INCARNATION, "0"));
			values.forEach((name, value) -> {
				if (name.startsWith(PEER)) {
					this.seen.put(name.substring(PEER.length()), Seen.parse(value));
				}
			});
			this.lostOnDisk = lost();
			this.isIncarnationKnown = true;
		}
		catch (IllegalArgumentException wrong) {
			log.error("{} is not understood, {}: only other nodes notice data that peers lose", FILE_NAME,
					wrong.getMessage());
			this.seen.clear();
			this.incarnation = 0;
		}
	}

	/**
	 * Forgets nodes that are no members: before handshakes were checked against the list
	 * of members, any process that reached the port could have itself recorded here.
	 */
	synchronized void keepOnly(Set<String> members) {
		int before = this.seen.size();
		if (this.seen.keySet().retainAll(members)) {
			this.changed = true;
			log.warn("{} names {} nodes that are no members; they are forgotten", FILE_NAME, before - this.seen.size());
		}
	}

	/** The record of a peer, or {@code null} for none. */
	synchronized @Nullable Seen of(String peer) {
		return this.seen.get(peer);
	}

	/** Number of times that the cluster was restored. */
	synchronized long incarnation() {
		return this.incarnation;
	}

	/**
	 * Adopts the number of times that the cluster was restored, if it is not known
	 * because the file is new, or was lost.
	 * @return whether it was not known
	 */
	synchronized boolean learns(long ofOthers) {
		if (this.isIncarnationKnown) {
			return false;
		}
		this.isIncarnationKnown = true;
		this.incarnation = ofOthers;
		this.changed = true;
		return true;
	}

	/**
	 * Records the position of a peer. If the identity of its data has changed, its
	 * earlier position and comparison are forgotten.
	 */
	synchronized void saw(String peer, UUID storageId, Position position) {
		Seen before = this.seen.get(peer);
		Seen now = (before == null || !before.storageId().equals(storageId))
				? new Seen(storageId, position, 0, before != null && before.lost())
				: new Seen(storageId, before.position().upTo(position), before.compared(), before.lost());
		put(peer, now);
	}

	/** Records a complete comparison. */
	synchronized void compared(String peer, UUID storageId, long instant) {
		saw(peer, storageId, Position.NONE);
		Seen before = this.seen.get(peer);
		if (before != null) {
			put(peer,
					new Seen(storageId, before.position(), Horizon.higher(before.compared(), instant), before.lost()));
		}
	}

	/** Records whether a peer is declared lost. */
	synchronized void lost(String peer, boolean isLost) {
		Seen before = this.seen.get(peer);
		if (before != null) {
			put(peer, new Seen(before.storageId(), before.position(), before.compared(), isLost));
		}
		else if (isLost) {
			put(peer, new Seen(new UUID(0, 0), Position.NONE, 0, true));
		}
	}

	/** Whether a peer is declared lost, and that is on the disk. */
	synchronized boolean isKnownLost(String peer) {
		Seen its = this.seen.get(peer);
		return its != null && its.lost() && this.lostOnDisk.contains(peer);
	}

	private Set<String> lost() {
		return this.seen.entrySet()
			.stream()
			.filter((its) -> its.getValue().lost())
			.map(Map.Entry::getKey)
			.collect(Collectors.toUnmodifiableSet());
	}

	/** Forgets all peers: the cluster was restored. */
	synchronized void begin(long newIncarnation) {
		this.incarnation = newIncarnation;
		this.isIncarnationKnown = true;
		this.seen.clear();
		this.changed = true;
	}

	private void put(String peer, Seen now) {
		this.changed |= !now.equals(this.seen.put(peer, now));
	}

	/**
	 * Writes the file if anything has changed since.
	 * @throws IOException when it could not be written; the next call tries again
	 */
	void save() throws IOException {
		Map<String, String> values = new HashMap<>();
		Set<String> lost;
		synchronized (this) {
			if (!this.changed) {
				return;
			}
			this.changed = false;
			values.put(INCARNATION, Long.toString(this.incarnation));
			this.seen.forEach((peer, its) -> values.put(PEER + peer, its.line()));
			lost = lost();
		}
		try {
			this.file.write(values);
			synchronized (this) {
				this.lostOnDisk = lost;
			}
		}
		catch (IOException failure) {
			synchronized (this) {
				this.changed = true;
			}
			throw failure;
		}
	}

}
