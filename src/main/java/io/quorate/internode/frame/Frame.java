package io.quorate.internode.frame;

import java.nio.charset.StandardCharsets;

import io.netty.buffer.ByteBuf;
import io.quorate.internode.wire.Versions;
import io.quorate.security.Printable;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of a frame, the unit of a connection:
 *
 * <pre>
 * length 3 | stream 4 | type and flags 2 | body
 *
 * type (upper 6 bits)   body
 * 0x01 setup            1.0 (4) | 0 (4) | ms (4) | two names, each behind its length (1):
 *                       application/binary, and the versions, like "quorate 6-7"
 * 0x04 request          message, or its first part
 * 0x09 cancel           none
 * 0x0a payload          reply, or the next part of a request or a reply
 * 0x0b error            code 4 | words
 *
 * flag                  meaning
 * 0x80 follows          more parts of the message follow
 * 0x40 complete         last frame of the stream in this direction
 * 0x20 next             has a message, or a part of one
 * </pre>
 *
 * The length does not count itself. The node that connects sends the setup frame first,
 * in stream 0, and numbers its requests 1, 3, 5 and so on; the reply comes in the stream
 * of its request. These are the frames of the RSocket protocol 1.0, of which nodes use
 * request and response alone: members that run an earlier program understand them. Those
 * ignore the versions, and send {@code application/binary} in their place.
 */
final class Frame {

	static final int LENGTH_BYTES = 3;

	/** Size of stream, type and flags. */
	static final int HEADER_BYTES = 6;

	static final int SETUP = 0x01;

	static final int REQUEST = 0x04;

	static final int CANCEL = 0x09;

	static final int PAYLOAD = 0x0a;

	static final int ERROR = 0x0b;

	static final int FOLLOWS = 0x80;

	static final int COMPLETE = 0x40;

	static final int NEXT = 0x20;

	/* Nodes send none. */
	private static final int METADATA = 0x100;

	private static final int TYPE_SHIFT = 10;

	private static final int VERSION = 1 << 16;

	/* Nodes have keep-alives of their own. */
	private static final int NO_KEEP_ALIVE = 0;

	private static final int APPLICATION_ERROR = 0x201;

	private static final int MAX_WORDS_BYTES = 512;

	private static final byte[] FORMAT = "application/binary".getBytes(StandardCharsets.US_ASCII);

	private static final String PROTOCOL = "quorate ";

	/* Up to the names of the formats. */
	private static final int SETUP_BYTES = HEADER_BYTES + 3 * Integer.BYTES;

	private Frame() {
	}

	/** Type and flags as one number. */
	static int header(int type, int flags) {
		return type << TYPE_SHIFT | flags;
	}

	static int type(int header) {
		return header >>> TYPE_SHIFT;
	}

	static boolean follows(int header) {
		return (header & FOLLOWS) != 0;
	}

	static boolean hasMetadata(int header) {
		return (header & METADATA) != 0;
	}

	/** Type and flags of a frame that begins at its stream. */
	static int headerOf(ByteBuf frame) {
		return frame.getUnsignedShort(frame.readerIndex() + Integer.BYTES);
	}

	/**
	 * Writes a setup frame behind its length.
	 * @param silenceMillis time after which a silent peer is given up
	 * @param versions versions of the protocol that this node speaks
	 */
	static void writeSetup(ByteBuf target, int silenceMillis, Versions versions) {
		byte[] protocol = (PROTOCOL + versions).getBytes(StandardCharsets.US_ASCII);
		target.writeMedium(SETUP_BYTES + 2 + FORMAT.length + protocol.length).writeInt(0).writeShort(header(SETUP, 0));
		target.writeInt(VERSION).writeInt(NO_KEEP_ALIVE).writeInt(silenceMillis);
		target.writeByte(FORMAT.length).writeBytes(FORMAT).writeByte(protocol.length).writeBytes(protocol);
	}

	/** Writes a cancel frame behind its length. */
	static void writeCancel(ByteBuf target, int stream) {
		target.writeMedium(HEADER_BYTES).writeInt(stream).writeShort(header(CANCEL, 0));
	}

	/** Writes an error frame behind its length, with a part of long words. */
	static void writeError(ByteBuf target, int stream, String words) {
		byte[] encoded = words.getBytes(StandardCharsets.UTF_8);
		int size = Math.min(encoded.length, MAX_WORDS_BYTES);
		target.writeMedium(HEADER_BYTES + Integer.BYTES + size)
			.writeInt(stream)
			.writeShort(header(ERROR, 0))
			.writeInt(APPLICATION_ERROR)
			.writeBytes(encoded, 0, size);
	}

	/** The words of an error frame, from its body, in a form that may be logged. */
	static String wordsOfError(ByteBuf body) {
		body.skipBytes(Integer.BYTES);
		String words = body.toString(body.readerIndex(), Math.min(body.readableBytes(), MAX_WORDS_BYTES),
				StandardCharsets.UTF_8);
		return Printable.of(words, MAX_WORDS_BYTES);
	}

	/**
	 * The versions in a setup frame, {@code null} when it has none: then the node that
	 * has sent it runs an earlier program, and speaks the version of its handshake alone.
	 */
	static @Nullable Versions versionsOfSetup(ByteBuf frame) {
		int first = frame.readerIndex() + SETUP_BYTES;
		int second = first + 1 + frame.getUnsignedByte(first);
		String name = frame.toString(second + 1, frame.getUnsignedByte(second), StandardCharsets.US_ASCII);
		return name.startsWith(PROTOCOL) ? Versions.parse(name.substring(PROTOCOL.length())) : null;
	}

	/** Whether a frame is the setup frame of a node. */
	static boolean isSetup(ByteBuf frame) {
		int from = frame.readerIndex();
		int at = from + SETUP_BYTES;
		if (frame.readableBytes() < SETUP_BYTES || frame.getInt(from) != 0 || headerOf(frame) != header(SETUP, 0)
				|| frame.getInt(from + HEADER_BYTES) != VERSION
				|| frame.getInt(from + HEADER_BYTES + Integer.BYTES) != NO_KEEP_ALIVE) {
			return false;
		}
		for (int names = 2; names > 0 && at < frame.writerIndex(); names--) {
			at += 1 + frame.getUnsignedByte(at);
			if (names == 1) {
				return at == frame.writerIndex();
			}
		}
		return false;
	}

}
