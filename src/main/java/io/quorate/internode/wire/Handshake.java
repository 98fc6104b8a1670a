package io.quorate.internode.wire;

import java.util.UUID;

import io.quorate.internode.DataStatus;
import io.quorate.internode.LastKnownStatus;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.reports.Program;
import org.jspecify.annotations.Nullable;

/**
 * The first message of a node on a new connection: its identity, clock and data status.
 *
 * @param version of the node that connects: the oldest version that it speaks; of the
 * node that it has reached: the version in which both speak from now on
 * @param versions versions that the sender speaks, as far as this message says
 * @param node the sender
 * @param expected id of the node that the sender takes the receiver for
 * @param physicalMillis physical clock of the sender
 * @param draining whether the sender has announced its shutdown
 * @param dataStatus report of the sender on its data
 * @param lastKnownStatus record of the sender on the receiver's data
 * @param program program of the sender
 * @param layout layout that the sender has adopted, {@code null} while it takes no part
 * in decisions about it
 */
public record Handshake(int version, Versions versions, LocalNode node, String expected, long physicalMillis,
		boolean draining, DataStatus dataStatus, LastKnownStatus lastKnownStatus, Program program,
		@Nullable LayoutReport layout) {

	private static final LocalNode UNKNOWN = new LocalNode("", "", 0, new UUID(0, 0));

	/**
	 * A handshake of a node that speaks no version of the receiver's. Only the versions
	 * are understood.
	 */
	public static Handshake ofVersions(Versions versions) {
		return new Handshake(versions.newest(), versions, UNKNOWN, "", 0, false, DataStatus.EMPTY, LastKnownStatus.NONE,
				Program.UNKNOWN, null);
	}

}
