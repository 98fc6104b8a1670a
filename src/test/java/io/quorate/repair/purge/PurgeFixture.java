package io.quorate.repair.purge;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.repair.purge.PurgePermission.Terms;
import io.quorate.repair.record.Horizon;
import io.quorate.repair.record.Lineage;
import io.quorate.repair.record.PeerRecords;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import org.jspecify.annotations.Nullable;

/** The node n1 of three, with clocks that a test turns. */
public final class PurgeFixture {

	public static final Duration GRACE = Duration.ofDays(10);

	public static final Duration DEADLINE = Duration.ofSeconds(30);

	public static final UUID ID2 = new UUID(2, 2);

	public static final UUID ID3 = new UUID(3, 3);

	static final Key KEY = Key.of("k");

	public static final long HISTORY = 77;

	public static final Ring RING = Ring.of(Stream.of("n1", "n2", "n3").map(Member::of).toList(), 3);

	long nowMillis = 1_000_000_000_000L;

	long nanos = 5;

	public final ClusterDeadline deadline = new ClusterDeadline(DEADLINE);

	final ReplicaSets sets;

	public final PeerRecords records;

	public final Lineage lineage;

	public final Horizon horizon;

	final ClusterPurgePolicy policy;

	public final PurgePermission purgePermission;

	public PurgeFixture(Path directory) {
		this(directory, RING);
	}

	public PurgeFixture(Path directory, Ring ring) {
		this(directory, ring, "n1");
	}

	/** Another node of the ring. */
	public PurgeFixture(Path directory, Ring ring, String self) {
		this.sets = new ReplicaSets(RingPair.of(ring), self);
		this.records = PeerRecords.open(directory);
		this.lineage = lineage(directory, new UUID(1, 1), 100);
		this.horizon = Horizon.open(directory, true, 0);
		this.policy = new ClusterPurgePolicy(this.sets, GRACE, () -> this.nowMillis);
		this.purgePermission = new PurgePermission(this.sets, new Marks(this.deadline), this.records, this.horizon,
				this.policy, new Terms(GRACE, () -> this.nowMillis, () -> this.nanos));
	}

	/** History of a directory that has so many entries. */
	public static Lineage lineage(Path directory, UUID storageId, long entries) {
		return Lineage.open(directory, storageId, Set.of("n2", "n3"), Lineage.Sources.of(() -> entries));
	}

	/** A stamp so long ago. */
	public Timestamp ago(Duration age) {
		return Timestamp.ofMillis(this.nowMillis - age.toMillis());
	}

	/** A stamp older than the grace period. */
	public Timestamp old() {
		return ago(GRACE.plusHours(1));
	}

	/** Begins a comparison; why not, or {@code null}. */
	public @Nullable Reason begin(String peer, UUID id, long round, long sequence) {
		Failure refusal = this.purgePermission.begun(peer, id, round, sequence, ago(Duration.ofSeconds(5)).hybrid());
		return (refusal != null) ? refusal.reason() : null;
	}

	/** A whole comparison with a peer, of what has arrived up to a sequence. */
	void compare(String peer, UUID id, long sequence) {
		long round = ago(Duration.ZERO).hybrid();
		begin(peer, id, round, sequence);
		this.purgePermission.completed(peer, id, round);
	}

	/** Whole comparisons with both peers. */
	public void compareAll(long sequence) {
		compare("n2", ID2, sequence);
		compare("n3", ID3, sequence);
	}

	public void pass(Duration time) {
		this.nowMillis += time.toMillis();
		this.nanos += time.toNanos();
	}

	/** Whether a deletion may be purged, after all that is to be written is. */
	public boolean mayPurge(Timestamp timestamp, long sequence) {
		try {
			this.records.save();
			this.purgePermission.advance(this.records::save);
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
		return this.policy.mayPurge(KEY, timestamp, sequence);
	}

}
