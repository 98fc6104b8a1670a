package io.quorate.internode.wire;

import io.quorate.consensus.Decisions;
import io.quorate.storage.FormatLevel;

/** The numbers that both ends of a connection agree on. */
public final class Wire {

	/**
	 * Newest version of the protocol. Each version comes with the format level of the
	 * same number.
	 */
	public static final int VERSION = FormatLevel.NEWEST;

	/** Oldest version that nodes still speak. */
	public static final int OLDEST_VERSION = 1;

	/** Values, and replies to reads, above this use the connection for large ones. */
	public static final int LARGE_BYTES = 64 * 1024;

	/** Bytes of keys and values after which a page ends. */
	public static final int PAGE_BYTES = 256 * 1024;

	/** Most records of a page. */
	public static final int PAGE_RECORDS = 4096;

	/** Room for what a message has besides a value, or a page besides its records. */
	public static final int OVERHEAD_BYTES = 64 * 1024;

	/**
	 * Size of the largest reply to a handshake: the last layouts, for a node that they do
	 * not name. The largest layout, of 255 members with the longest names, is smaller.
	 */
	public static final int HANDSHAKE_REPLY_BYTES = Decisions.MESSAGE_BYTES + OVERHEAD_BYTES;

	/** Size of a fragment, with its header. */
	public static final int FRAGMENT_BYTES = 64 * 1024;

	/** Size of the largest frame that is taken, with its length in front. */
	public static final int MAX_FRAME_BYTES = FRAGMENT_BYTES + 16;

	private static final int PAGE_ROOM_BYTES = 2 * PAGE_BYTES;

	private Wire() {
	}

	/**
	 * The oldest version that a node speaks whose files have a format level: a finalized
	 * upgrade leaves out the version of the program before.
	 */
	public static int oldestVersionAt(int formatLevel) {
		return Math.max(OLDEST_VERSION, formatLevel);
	}

	/** Size of the largest message that is taken. */
	public static int maxMessageBytes(int maxValueBytes) {
		return Math.max(maxValueBytes, PAGE_ROOM_BYTES) + OVERHEAD_BYTES;
	}

}
