package io.quorate.internode;

import java.util.UUID;

/**
 * The bytes of a greeting:
 *
 * <pre>
 * version 4 | epoch 8 | storage id 16 | physical ms 8 | draining 1
 * | standing: position 24 | rebuilding 1 | incarnation 8 | established 1 | purge horizon 8 | recalled 8
 *   | longest deadline ms 8
 * | recollection: storage id 16 | position 24 | compared instant 8 | lost 1 | purge horizon 8
 * | cluster | node | expected
 *
 * position: generation 8 | token 8 | durable sequence 8
 * </pre>
 */
final class GreetingCodec {

	/** Number of bytes of a node's standing. */
	static final int STANDING_SIZE = Position.SIZE + 4 * Long.BYTES + 2;

	private static final int RECOLLECTION_SIZE = 4 * Long.BYTES + Position.SIZE + 1;

	private static final int FIXED_SIZE = Integer.BYTES + 4 * Long.BYTES + 1 + STANDING_SIZE + RECOLLECTION_SIZE;

	private GreetingCodec() {
	}

	static int size(Greeting greeting) {
		LocalNode node = greeting.node();
		return FIXED_SIZE + MessageWriter.sizeOf(node.cluster()) + MessageWriter.sizeOf(node.id())
				+ MessageWriter.sizeOf(greeting.expected());
	}

	static void write(Greeting greeting, MessageWriter to) {
		LocalNode node = greeting.node();
		to.putInt(greeting.version())
			.putLong(node.epoch())
			.put(node.storageId())
			.putLong(greeting.physicalMillis())
			.put(greeting.draining());
		write(greeting.standing(), to);
		write(greeting.recollection(), to);
		to.put(node.cluster()).put(node.id()).put(greeting.expected());
	}

	static void write(Standing standing, MessageWriter to) {
		write(standing.position(), to).put(standing.rebuilding())
			.putLong(standing.incarnation())
			.put(standing.established())
			.putLong(standing.purgeHorizon())
			.putLong(standing.recalled())
			.putLong(standing.longestDeadlineMillis());
	}

	private static void write(Recollection recollection, MessageWriter to) {
		write(recollection.position(), to.put(recollection.storageId())).putLong(recollection.comparedInstant())
			.put(recollection.declaredLost())
			.putLong(recollection.purgeHorizon());
	}

	static MessageWriter write(Position position, MessageWriter to) {
		return to.putLong(position.generation()).putLong(position.token()).putLong(position.sequence());
	}

	static Position position(MessageReader from) {
		return new Position(from.readLong(), from.readLong(), from.readLong());
	}

	static Standing standing(MessageReader from) {
		return new Standing(position(from), from.flag(), from.readLong(), from.flag(), from.readLong(), from.readLong(),
				from.readLong());
	}

	private static Recollection recollection(MessageReader from) {
		return new Recollection(from.id(), position(from), from.readLong(), from.flag(), from.readLong());
	}

	static Greeting read(MessageReader from) {
		int version = from.readInt();
		if (version != Wire.VERSION) {
			from.skipRest();
			return Greeting.ofVersion(version);
		}
		long epoch = from.readLong();
		UUID storageId = from.id();
		long physicalMillis = from.readLong();
		boolean draining = from.flag();
		Standing standing = standing(from);
		Recollection recollection = recollection(from);
		String cluster = from.text();
		LocalNode node = new LocalNode(from.text(), cluster, epoch, storageId);
		return new Greeting(version, node, from.text(), physicalMillis, draining, standing, recollection);
	}

}
