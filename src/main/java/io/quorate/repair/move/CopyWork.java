package io.quorate.repair.move;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.Moved;
import io.quorate.repair.antientropy.CopyObserver;
import io.quorate.ring.MemberPlaces;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;

/**
 * The work of the copy by one version of the layout, and the part of it that is done, an
 * estimate: a source has about as many entries of each of its partitions as of any other,
 * and a comparison goes through them in the order of keys, so evenly through all
 * partitions. An entry that is received counts as much as {@value #WEIGHT_OF_TRANSFER}
 * that are compared. Safe for any number of threads.
 */
final class CopyWork implements CopyObserver {

	static final int WEIGHT_OF_TRANSFER = 4;

	/* Below this part of the transfer the bytes so far say nothing about the rest. */
	private static final double TELLING_SHARE = 0.05;

	private final long version;

	private final Map<String, Part> parts;

	private final int gained;

	private final long total;

	/* Gained partitions that a source of before has brought. */
	private final BitSet brought = new BitSet(Ring.PARTITIONS);

	private long done;

	private long current;

	/* Of those that the current source has, the gained ones that none has brought. */
	private int missing;

	private double expectedEntries;

	private long passed;

	private long bytes;

	private boolean isComplete;

	private CopyWork(long version, Map<String, Part> parts) {
		this.version = version;
		this.parts = Map.copyOf(parts);
		BitSet all = new BitSet(Ring.PARTITIONS);
		parts.values().forEach((part) -> all.or(part.gained()));
		this.gained = all.cardinality();
		this.total = (long) WEIGHT_OF_TRANSFER * this.gained + parts.values().stream().mapToLong(Part::compared).sum();
	}

	/**
	 * The part of a source.
	 *
	 * @param gained partitions that the node gains and the source had before
	 * @param compared number of those that the source had before, and the node has on
	 * either side
	 * @param held number of those that the source had before
	 */
	private record Part(BitSet gained, int compared, int held) {
	}

	/** The work of a node that has not begun to copy. */
	static CopyWork of(Layout layout, String self, Set<String> sources) {
		Map<String, Part> parts = new HashMap<>();
		sources.forEach((source) -> parts.put(source, partOf(source, layout.rings(), self)));
		return new CopyWork(layout.version(), parts);
	}

	private static Part partOf(String source, RingPair rings, String self) {
		BitSet gained = new BitSet(Ring.PARTITIONS);
		MemberPlaces theirs = rings.placesOf(source);
		MemberPlaces ours = rings.placesOf(self);
		int compared = 0;
		int held = 0;
		for (int partition = 0; partition < Ring.PARTITIONS; partition++) {
			if (theirs.before(partition) >= 0) {
				held++;
				compared += ours.isReplica(partition) ? 1 : 0;
				if (ours.gains(partition)) {
					gained.set(partition);
				}
			}
		}
		return new Part(gained, compared, held);
	}

	/**
	 * A copy from a source begins, or begins again.
	 * @param entries entries that the source holds, 0 while that is not known
	 */
	synchronized void begins(String source, long entries) {
		Part part = partOf(source);
		this.missing = missingOf(part);
		this.current = (long) WEIGHT_OF_TRANSFER * this.missing + part.compared();
		this.expectedEntries = (part.held() == 0) ? 0 : (double) entries * part.compared() / part.held();
		this.passed = 0;
	}

	private Part partOf(String source) {
		Part part = this.parts.get(source);
		if (part == null) {
			throw new IllegalArgumentException("'%s' is no source".formatted(source));
		}
		return part;
	}

	/* What an earlier source has brought is compared, not received again. */
	private int missingOf(Part part) {
		BitSet left = (BitSet) part.gained().clone();
		left.andNot(this.brought);
		return left.cardinality();
	}

	/** A copy from a source that has begun has ended. */
	synchronized void ends(String source) {
		this.done += this.current;
		this.current = 0;
		this.missing = 0;
		this.brought.or(partOf(source).gained());
	}

	/** All is copied. */
	synchronized void completes() {
		this.isComplete = true;
	}

	@Override
	public synchronized void begun() {
		this.passed = 0;
	}

	@Override
	public synchronized void passed(int entries) {
		this.passed += entries;
	}

	@Override
	public synchronized void received(long moreBytes) {
		this.bytes += moreBytes;
	}

	/** The progress, which is not whole before all is copied. */
	synchronized Moved progress() {
		if (this.isComplete) {
			return new Moved(this.version, Moved.ALL, this.bytes, this.bytes);
		}
		if (this.total == 0) {
			return new Moved(this.version, 0, this.bytes, 0);
		}
		double share = (this.expectedEntries > 0) ? Math.min(1, this.passed / this.expectedEntries) : 0;
		double millionths = Moved.ALL * (this.done + this.current * share) / this.total;
		return new Moved(this.version, (int) Math.min(Moved.ALL - 1, millionths), this.bytes, expectedBytes(share));
	}

	private long expectedBytes(double share) {
		double transferred = (this.gained == 0) ? 0 : (this.brought.cardinality() + this.missing * share) / this.gained;
		return (transferred < TELLING_SHARE) ? 0 : Math.round(this.bytes / transferred);
	}

}
