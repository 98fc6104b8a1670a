package io.quorate.internode.wire;

import java.util.UUID;

import io.quorate.internode.DataStatus;
import io.quorate.internode.LastKnownStatus;

/**
 * The first message of a node on a new connection: its identity, clock and data status.
 *
 * @param version version of the protocol
 * @param node the sender
 * @param expected id of the node that the sender takes the receiver for
 * @param physicalMillis physical clock of the sender
 * @param draining whether the sender has announced its shutdown
 * @param dataStatus report of the sender on its data
 * @param lastKnownStatus record of the sender on the receiver's data
 */
public record Handshake(int version, LocalNode node, String expected, long physicalMillis, boolean draining,
		DataStatus dataStatus, LastKnownStatus lastKnownStatus) {

	private static final LocalNode UNKNOWN = new LocalNode("", "", 0, new UUID(0, 0));

	public static Handshake of(LocalNode node, String expected, long physicalMillis, boolean draining,
			DataStatus dataStatus, LastKnownStatus lastKnownStatus) {
		return new Handshake(Wire.VERSION, node, expected, physicalMillis, draining, dataStatus, lastKnownStatus);
	}

	/** A handshake of another version, of which only the version is understood. */
	public static Handshake ofVersion(int version) {
		return new Handshake(version, UNKNOWN, "", 0, false, DataStatus.EMPTY, LastKnownStatus.NONE);
	}

}
