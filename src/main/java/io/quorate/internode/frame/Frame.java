package io.quorate.internode.frame;

import java.nio.charset.StandardCharsets;

import io.netty.buffer.ByteBuf;
import io.quorate.security.Printable;

/**
 * The encoding of a frame, the unit of a connection:
 *
 * <pre>
 * length 3 | stream 4 | type 1 | flags 1 | body
 *
 * type         body
 * 1 setup      magic 4 | ms 4: the time after which a silent peer is given up
 * 2 request    message, or its first part
 * 3 payload    reply, or the next part of a request or a reply
 * 4 cancel     none
 * 5 error      words
 *
 * flag
 * 0x80 follows more parts of the message follow
 * </pre>
 *
 * The length does not count itself. The node that connects sends the setup frame first,
 * in stream 0, and numbers its requests 1, 3, 5 and so on; the reply comes in the stream
 * of its request. Frames are the same in all versions of the protocol.
 */
final class Frame {

	static final int LENGTH_BYTES = 3;

	/** Size of stream, type and flags. */
	static final int HEADER_BYTES = 6;

	static final int SETUP = 0x01;

	static final int REQUEST = 0x02;

	static final int PAYLOAD = 0x03;

	static final int CANCEL = 0x04;

	static final int ERROR = 0x05;

	static final int FOLLOWS = 0x80;

	private static final int TYPE_SHIFT = 8;

	/* "QRTN" in ASCII. */
	private static final int MAGIC = 0x5152544e;

	private static final int MAX_WORDS_BYTES = 512;

	private static final int SETUP_BYTES = HEADER_BYTES + 2 * Integer.BYTES;

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

	static boolean hasOtherFlags(int header) {
		return (header & 0xff & ~FOLLOWS) != 0;
	}

	/** Type and flags of a frame that begins at its stream. */
	static int headerOf(ByteBuf frame) {
		return frame.getUnsignedShort(frame.readerIndex() + Integer.BYTES);
	}

	/**
	 * Writes a setup frame behind its length.
	 * @param silenceMillis time after which a silent peer is given up
	 */
	static void writeSetup(ByteBuf target, int silenceMillis) {
		target.writeMedium(SETUP_BYTES).writeInt(0).writeShort(header(SETUP, 0));
		target.writeInt(MAGIC).writeInt(silenceMillis);
	}

	/** Writes a cancel frame behind its length. */
	static void writeCancel(ByteBuf target, int stream) {
		target.writeMedium(HEADER_BYTES).writeInt(stream).writeShort(header(CANCEL, 0));
	}

	/** Writes an error frame behind its length, with a part of long words. */
	static void writeError(ByteBuf target, int stream, String words) {
		byte[] encoded = words.getBytes(StandardCharsets.UTF_8);
		int size = Math.min(encoded.length, MAX_WORDS_BYTES);
		target.writeMedium(HEADER_BYTES + size)
			.writeInt(stream)
			.writeShort(header(ERROR, 0))
			.writeBytes(encoded, 0, size);
	}

	/** The words of an error frame, from its body, in a form that may be logged. */
	static String wordsOfError(ByteBuf body) {
		String words = body.toString(body.readerIndex(), Math.min(body.readableBytes(), MAX_WORDS_BYTES),
				StandardCharsets.UTF_8);
		return Printable.of(words, MAX_WORDS_BYTES);
	}

	/** Whether a frame is the setup frame of a node. */
	static boolean isSetup(ByteBuf frame) {
		int from = frame.readerIndex();
		return frame.readableBytes() == SETUP_BYTES && frame.getInt(from) == 0 && headerOf(frame) == header(SETUP, 0)
				&& frame.getInt(from + HEADER_BYTES) == MAGIC;
	}

}
