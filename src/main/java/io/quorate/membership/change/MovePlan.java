package io.quorate.membership.change;

import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * The partitions that a change of members moves.
 *
 * @param moves gains by the ids of the members, in their order
 */
public record MovePlan(Map<String, Gain> moves) {

	/** The plan of a change that moves nothing. */
	static final MovePlan NONE = new MovePlan(Map.of());

	public MovePlan {
		moves = new TreeMap<>(moves);
	}

	/**
	 * The gain of a member.
	 *
	 * @param partitions partitions that it gains
	 * @param bytes bytes of their entries, an estimate; {@code null} while it is not
	 * known how much the members hold
	 */
	public record Gain(int partitions, @Nullable Long bytes) {
	}

	/** The partitions that members gain, all together. */
	public int partitions() {
		return this.moves.values().stream().mapToInt(Gain::partitions).sum();
	}

	/**
	 * The bytes that members gain, all together; {@code null} while they are not known.
	 */
	public @Nullable Long bytes() {
		long all = 0;
		for (Gain gain : this.moves.values()) {
			Long bytes = gain.bytes();
			if (bytes == null) {
				return null;
			}
			all += bytes;
		}
		return all;
	}

}
