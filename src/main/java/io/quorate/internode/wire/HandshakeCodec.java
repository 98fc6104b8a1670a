package io.quorate.internode.wire;

import java.util.UUID;

import io.quorate.internode.DataStatus;
import io.quorate.internode.LastKnownStatus;
import io.quorate.internode.Position;

/**
 * The encoding of a handshake:
 *
 * <pre>
 * version 4 | epoch 8 | storage id 16 | physical ms 8 | draining 1
 * | data status: position 24 | rebuilding 1 | incarnation 8 | history 8 | established 1 | purge horizon 8 | recalled 8
 *   | longest deadline ms 8
 * | last known status: storage id 16 | position 24 | compared instant 8 | lost 1 | purge horizon 8
 * | cluster | node | expected | fields
 * position: generation 8 | token 8 | durable sequence 8
 * </pre>
 *
 * This layout stays, so that each node finds out which versions the other speaks. Later
 * versions add to the {@link Fields} at its end.
 */
final class HandshakeCodec {

	/** Number of bytes of a node's data status. */
	static final int DATA_STATUS_SIZE = Position.SIZE + 5 * Long.BYTES + 2;

	private static final int LAST_KNOWN_SIZE = 4 * Long.BYTES + Position.SIZE + 1;

	private static final int FIXED_SIZE = Integer.BYTES + 4 * Long.BYTES + 1 + DATA_STATUS_SIZE + LAST_KNOWN_SIZE;

	private HandshakeCodec() {
	}

	static int size(Handshake handshake) {
		LocalNode node = handshake.node();
		return fields(handshake).size() + FIXED_SIZE + MessageWriter.sizeOf(node.cluster())
				+ MessageWriter.sizeOf(node.id()) + MessageWriter.sizeOf(handshake.expected());
	}

	private static Fields fields(Handshake handshake) {
		return Fields.of(handshake);
	}

	static void write(Handshake handshake, MessageWriter to) {
		LocalNode node = handshake.node();
		to.putInt(handshake.version())
			.putLong(node.epoch())
			.put(node.storageId())
			.putLong(handshake.sender().physicalMillis())
			.put(handshake.sender().draining());
		write(handshake.statuses().own(), to);
		write(handshake.statuses().lastKnown(), to);
		to.put(node.cluster()).put(node.id()).put(handshake.expected());
		fields(handshake).write(to);
	}

	static void write(DataStatus dataStatus, MessageWriter to) {
		write(dataStatus.position(), to).put(dataStatus.rebuilding())
			.putLong(dataStatus.incarnation().number())
			.putLong(dataStatus.incarnation().history())
			.put(dataStatus.incarnation().established())
			.putLong(dataStatus.purgeHorizon())
			.putLong(dataStatus.recalled())
			.putLong(dataStatus.longestDeadlineMillis());
	}

	private static void write(LastKnownStatus lastKnownStatus, MessageWriter to) {
		write(lastKnownStatus.position(), to.put(lastKnownStatus.storageId()))
			.putLong(lastKnownStatus.comparedInstant())
			.put(lastKnownStatus.declaredLost())
			.putLong(lastKnownStatus.purgeHorizon());
	}

	static MessageWriter write(Position position, MessageWriter to) {
		return to.putLong(position.generation()).putLong(position.token()).putLong(position.sequence());
	}

	static Position position(MessageReader from) {
		return new Position(from.readLong(), from.readLong(), from.readLong());
	}

	static DataStatus dataStatus(MessageReader from) {
		return new DataStatus(position(from), from.flag(),
				new DataStatus.Incarnation(from.readLong(), from.readLong(), from.flag()), from.readLong(),
				from.readLong(), from.readLong());
	}

	private static LastKnownStatus lastKnownStatus(MessageReader from) {
		return new LastKnownStatus(from.id(), position(from), from.readLong(), from.flag(), from.readLong());
	}

	static Handshake read(MessageReader from) {
		int version = from.readInt();
		if (version < Wire.OLDEST_VERSION) {
			from.skipRest();
			return Handshake.ofVersions(Versions.of(Math.max(0, version)));
		}
		long epoch = from.readLong();
		UUID storageId = from.id();
		long physicalMillis = from.readLong();
		boolean draining = from.flag();
		Handshake.Statuses statuses = new Handshake.Statuses(dataStatus(from), lastKnownStatus(from));
		String cluster = from.text();
		String id = from.text();
		String expected = from.text();
		Fields fields = from.fields();
		Fields.OfNode said = fields.node();
		LocalNode node = new LocalNode(id, cluster, epoch, storageId, said.process());
		Versions versions = (said.versions() != null) ? said.versions() : Versions.of(version);
		return new Handshake(version, versions,
				new Handshake.Sender(node, physicalMillis, draining, said.programOrUnknown()), expected, statuses,
				said.layout());
	}

}
