package io.quorate.ring;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quorate.entry.Hash64;

/**
 * The order in which a partition prefers the members: that of their weights, the highest
 * first (Thaler and Ravishankar, "Using Name-Based Mappings to Increase Hit Rates",
 * 1998), rearranged so that zones take turns.
 * <p>
 * The weight of a partition and a member is {@link Hash64} of the member's ring id in
 * UTF-8 followed by the partition as two bytes, the higher first; weights are compared as
 * unsigned numbers, and members of one weight come in the order of their ids.
 * <p>
 * The heaviest member of every zone comes before the second of any, these before the
 * third of any, and so on; within such a round the weight decides. Hence:
 * <ol>
 * <li>a zone comes a second time only when every zone has come once or has no more
 * members;</li>
 * <li>without zones, which is one zone, the weights alone decide;</li>
 * <li>a member that joins changes the first <i>n</i> of any order, for any <i>n</i>, by
 * itself and one that it pushes out, or not at all; so does one that leaves;</li>
 * <li>a member that takes the place of another one of its zone changes nothing else.</li>
 * </ol>
 * Not thread-safe: one instance computes the orders of a ring, one after the other.
 */
final class RendezvousOrder {

	private final byte[][] names;

	private final int[] zones;

	private final long[] weights;

	private final int[] rounds;

	private final int[] taken;

	private final Integer[] order;

	RendezvousOrder(List<Member> members) {
		int size = members.size();
		this.names = new byte[size][];
		this.zones = new int[size];
		this.weights = new long[size];
		this.rounds = new int[size];
		this.order = new Integer[size];
		Map<String, Integer> zoneIndexes = new HashMap<>();
		for (int member = 0; member < size; member++) {
			byte[] id = members.get(member).ringId().getBytes(StandardCharsets.UTF_8);
			this.names[member] = Arrays.copyOf(id, id.length + Short.BYTES);
			String zone = members.get(member).zone();
			zoneIndexes.putIfAbsent(zone, zoneIndexes.size());
			this.zones[member] = zoneIndexes.getOrDefault(zone, 0);
		}
		this.taken = new int[zoneIndexes.size()];
	}

	/** Puts the indexes of all members into {@code target}, the most preferred first. */
	void copyTo(short[] target, int offset, int partition) {
		for (int member = 0; member < this.order.length; member++) {
			this.order[member] = member;
			this.weights[member] = weight(this.names[member], partition);
		}
		Arrays.sort(this.order, this::compareWeights);
		Arrays.fill(this.taken, 0);
		for (int member : this.order) {
			this.rounds[member] = this.taken[this.zones[member]]++;
		}
		Arrays.sort(this.order, Comparator.comparingInt((member) -> this.rounds[member]));
		for (int position = 0; position < this.order.length; position++) {
			target[offset + position] = this.order[position].shortValue();
		}
	}

	private int compareWeights(Integer one, Integer other) {
		int byWeight = Long.compareUnsigned(this.weights[other], this.weights[one]);
		return (byWeight != 0) ? byWeight : one.compareTo(other);
	}

	private static long weight(byte[] name, int partition) {
		name[name.length - 2] = (byte) (partition >>> Byte.SIZE);
		name[name.length - 1] = (byte) partition;
		return Hash64.of(name);
	}

}
