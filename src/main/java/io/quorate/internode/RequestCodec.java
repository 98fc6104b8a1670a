package io.quorate.internode;

import io.netty.buffer.ByteBuf;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.internode.Request.Envelope;
import io.quorate.storage.PageLimit;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a request:
 *
 * <pre>
 * type 1 | remaining ms 4 | sent us 8 | timestamp 12 | body
 * </pre>
 *
 * with the parts of the body in the order of the record's components; the type comes
 * first and is never reused, so that versions can tell each other apart.
 */
final class RequestCodec {

	private static final int HELLO = 1;

	private static final int PING = 2;

	private static final int APPLY = 3;

	private static final int READ = 4;

	private static final int PAGE = 5;

	private static final int HEADER_SIZE = 1 + Integer.BYTES + Long.BYTES + Timestamp.SIZE_BYTES;

	private RequestCodec() {
	}

	/** Number of bytes of a write. */
	static int size(Request.Apply apply) {
		return HEADER_SIZE + MessageWriter.sizeOf(apply.key()) + MessageWriter.sizeOf(apply.entry());
	}

	static Message encode(Envelope envelope) {
		MessageWriter to = new MessageWriter(HEADER_SIZE + bodySize(envelope.request()));
		to.put(type(envelope.request()))
			.putInt(envelope.remainingMillis())
			.putLong(envelope.sentMicros())
			.put(envelope.stamp());
		switch (envelope.request()) {
			case Request.Hello hello -> GreetingCodec.write(hello.greeting(), to);
			case Request.Ping ping -> to.putLong(ping.physicalMillis());
			case Request.Apply apply -> to.put(apply.key()).putLast(apply.entry());
			case Request.Read read -> to.putInt(read.maxReplyBytes()).put(read.key());
			case Request.Page page -> to.putInt(page.maxReplyBytes())
				.putInt(page.limit().records())
				.putInt(page.limit().sizeBytes())
				.putInt(page.limit().examined())
				.put(page.start())
				.put(page.end());
		}
		return to.toMessage();
	}

	private static int type(Request request) {
		return switch (request) {
			case Request.Hello _ -> HELLO;
			case Request.Ping _ -> PING;
			case Request.Apply _ -> APPLY;
			case Request.Read _ -> READ;
			case Request.Page _ -> PAGE;
		};
	}

	private static int bodySize(Request request) {
		return switch (request) {
			case Request.Hello hello -> GreetingCodec.size(hello.greeting());
			case Request.Ping _ -> Long.BYTES;
			case Request.Apply apply -> MessageWriter.sizeOf(apply.key()) + MessageWriter.sizeOfLast(apply.entry());
			case Request.Read read -> Integer.BYTES + MessageWriter.sizeOf(read.key());
			case Request.Page page ->
				4 * Integer.BYTES + MessageWriter.sizeOf(page.start()) + MessageWriter.sizeOf(page.end());
		};
	}

	/**
	 * Reads a request.
	 * @throws MalformedMessageException when it is none
	 */
	static Envelope decode(ByteBuf bytes) {
		return MessageReader.readAll(bytes, (from) -> {
			int type = from.octet();
			return new Envelope(from.readInt(), from.readLong(), from.timestamp(), body(type, from));
		});
	}

	private static Request body(int type, MessageReader from) {
		return switch (type) {
			case HELLO -> new Request.Hello(GreetingCodec.read(from));
			case PING -> new Request.Ping(from.readLong());
			case APPLY -> new Request.Apply(from.key(), from.entry());
			case READ -> {
				int maxReplyBytes = from.readInt();
				yield new Request.Read(from.key(), maxReplyBytes);
			}
			case PAGE -> page(from);
			default -> throw new MalformedMessageException("unknown type of request " + type);
		};
	}

	private static Request.Page page(MessageReader from) {
		int maxReplyBytes = from.readInt();
		PageLimit limit = new PageLimit(from.readInt(), from.readInt(), from.readInt());
		Key start = from.key();
		@Nullable Key end = from.keyOrNull();
		return new Request.Page(start, end, limit, maxReplyBytes);
	}

}
