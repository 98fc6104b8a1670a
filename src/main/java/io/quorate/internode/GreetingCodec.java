package io.quorate.internode;

import java.util.UUID;

/**
 * The bytes of a greeting:
 *
 * <pre>
 * version 4 | epoch 8 | storage id 16 | physical ms 8 | draining 1 | cluster | node | expected
 * </pre>
 */
final class GreetingCodec {

	private static final int FIXED_SIZE = Integer.BYTES + 4 * Long.BYTES + 1;

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
			.put(greeting.draining())
			.put(node.cluster())
			.put(node.id())
			.put(greeting.expected());
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
		String cluster = from.text();
		LocalNode node = new LocalNode(from.text(), cluster, epoch, storageId);
		return new Greeting(version, node, from.text(), physicalMillis, draining);
	}

}
