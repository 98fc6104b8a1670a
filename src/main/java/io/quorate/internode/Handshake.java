package io.quorate.internode;

import java.util.UUID;

/**
 * What a node says of itself when a connection is new.
 *
 * @param version version of the protocol
 * @param node who speaks
 * @param expected id of the node that the speaker believes to speak to
 * @param physicalMillis the speaker's physical clock
 * @param draining whether the speaker drains
 * @param dataStatus how it stands with the speaker's data
 * @param lastKnownStatus what the speaker remembers of the other
 */
record Handshake(int version, LocalNode node, String expected, long physicalMillis, boolean draining,
		DataStatus dataStatus, LastKnownStatus lastKnownStatus) {

	private static final LocalNode UNKNOWN = new LocalNode("", "", 0, new UUID(0, 0));

	static Handshake of(LocalNode node, String expected, long physicalMillis, boolean draining, DataStatus dataStatus,
			LastKnownStatus lastKnownStatus) {
		return new Handshake(Wire.VERSION, node, expected, physicalMillis, draining, dataStatus, lastKnownStatus);
	}

	/** Of another version nothing but the version is understood. */
	static Handshake ofVersion(int version) {
		return new Handshake(version, UNKNOWN, "", 0, false, DataStatus.EMPTY, LastKnownStatus.NONE);
	}

}
