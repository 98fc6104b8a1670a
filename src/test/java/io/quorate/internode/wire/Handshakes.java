package io.quorate.internode.wire;

import io.quorate.internode.DataStatus;
import io.quorate.internode.LastKnownStatus;
import io.quorate.membership.reports.Program;

/** Handshakes of nodes without a past. */
public final class Handshakes {

	private Handshakes() {
	}

	/** The handshake of a node that speaks one version. */
	public static Handshake of(int version, LocalNode node, String expected, DataStatus dataStatus,
			LastKnownStatus lastKnownStatus) {
		return new Handshake(version, Versions.of(version), new Handshake.Sender(node, 7, false, Program.UNKNOWN),
				expected, new Handshake.Statuses(dataStatus, lastKnownStatus), null);
	}

	/** The handshake of a node that speaks the oldest version. */
	public static Handshake ofOldest(LocalNode node, String expected) {
		return of(Wire.OLDEST_VERSION, node, expected, DataStatus.EMPTY, LastKnownStatus.NONE);
	}

}
