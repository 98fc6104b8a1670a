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
 * @param expected id of the node that the sender takes the receiver for
 * @param layout layout that the sender has adopted, {@code null} while it takes no part
 * in decisions about it
 */
public record Handshake(int version, Versions versions, Sender sender, String expected, Statuses statuses,
		@Nullable LayoutReport layout) {

	private static final Sender UNKNOWN = new Sender(new LocalNode("", "", 0, new UUID(0, 0)), 0, false,
			Program.UNKNOWN);

	/**
	 * A handshake of a node that speaks no version of the receiver's. Only the versions
	 * are understood.
	 */
	public static Handshake ofVersions(Versions versions) {
		return new Handshake(versions.newest(), versions, UNKNOWN, "",
				new Statuses(DataStatus.EMPTY, LastKnownStatus.NONE), null);
	}

	/** The node that sends it. */
	public LocalNode node() {
		return this.sender.node();
	}

	/**
	 * The sender of a handshake.
	 *
	 * @param physicalMillis its physical clock
	 * @param draining whether it has announced its shutdown
	 * @param program program that it runs
	 */
	public record Sender(LocalNode node, long physicalMillis, boolean draining, Program program) {
	}

	/**
	 * The data of both nodes.
	 *
	 * @param own report of the sender on its data
	 * @param lastKnown record of the sender on the receiver's data
	 */
	public record Statuses(DataStatus own, LastKnownStatus lastKnown) {
	}

}
