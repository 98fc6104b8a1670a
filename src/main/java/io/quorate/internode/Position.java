package io.quorate.internode;

/**
 * A point in the history of a node's data. A sequence alone does not name one: a
 * directory that was replaced by an older copy grows again to any sequence. So the
 * history is cut into generations, which the node numbers and gives a random token each;
 * two histories that part have no later token in common.
 *
 * @param generation number of the generation, 0 when only the sequence is known, or sent
 * @param token random name of the generation
 * @param sequence the highest sequence such that everything up to it is durable
 */
public record Position(long generation, long token, long sequence) {

	/** Number of bytes on the wire. */
	public static final int SIZE = 3 * Long.BYTES;

	/** The position of a node that has no data yet, or was never heard of. */
	public static final Position NONE = ofSequence(0);

	/**
	 * A position in a history whose generations are not known, or not sent: the node does
	 * not keep them for the receiver.
	 */
	public static Position ofSequence(long sequence) {
		return new Position(0, 0, sequence);
	}

	/**
	 * The later of two positions that one node has reported. Messages of several
	 * connections overtake each other, so a lower generation comes from an old message,
	 * or was sent when the sender kept none for this node; with another token of the same
	 * generation the newer message counts.
	 */
	public Position upTo(Position told) {
		if (told.generation != this.generation) {
			return (told.generation > this.generation) ? told : this;
		}
		return (told.token != this.token || told.sequence > this.sequence) ? told : this;
	}

	@Override
	public String toString() {
		return (this.generation == 0) ? "sequence " + this.sequence
				: "sequence %d of generation %d (%016x)".formatted(this.sequence, this.generation, this.token);
	}

}
