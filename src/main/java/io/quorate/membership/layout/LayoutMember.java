package io.quorate.membership.layout;

import java.util.UUID;

import io.quorate.consensus.Voter;
import io.quorate.ring.Member;

/**
 * A member as a layout names it: with its address and with the life of its directory.
 * Immutable.
 *
 * @param member id, zone and place on the ring
 * @param host name or address; an IPv6 address without brackets; empty in the first
 * layout, where each node has the addresses of its own configuration
 * @param port its internode port, 0 in the first layout
 * @param storageId identity of the data in its directory; {@link #UNKNOWN} in the first
 * layout
 */
public record LayoutMember(Member member, String host, int port, UUID storageId) {

	/** The storage id of members of the first layout. */
	public static final UUID UNKNOWN = Voter.ANY_LIFE;

	private static final int MAX_HOST = 255;

	private static final int MAX_PORT = 65_535;

	public LayoutMember {
		if (host.length() > MAX_HOST
				|| !host.chars().allMatch((character) -> character > ' ' && character < '\u007f')) {
			throw new IllegalArgumentException("'%s' is no host".formatted(host));
		}
		if (port < 0 || port > MAX_PORT) {
			throw new IllegalArgumentException("the port %d is not 0 to %d".formatted(port, MAX_PORT));
		}
	}

	/** A node at its address, with the present life of its directory. */
	public static LayoutMember of(Endpoint node, UUID storageId) {
		return new LayoutMember(node.member(), node.host(), node.port(), storageId);
	}

	/** Id of the member. */
	public String id() {
		return this.member.id();
	}

	/** The member as a voter of the layout that follows. */
	public Voter voter() {
		return new Voter(id(), this.storageId);
	}

	/** Whether two members would be reached at one address. */
	boolean sharesAddressWith(LayoutMember other) {
		return !this.host.isEmpty() && this.host.equals(other.host) && this.port == other.port;
	}

	/** Whether two members would have the same directory. */
	boolean sharesDirectoryWith(LayoutMember other) {
		return !this.storageId.equals(UNKNOWN) && this.storageId.equals(other.storageId);
	}

	/** The member with the present life of its directory. */
	public LayoutMember at(UUID present) {
		return new LayoutMember(this.member, this.host, this.port, present);
	}

	/** The member in the place of this one on the ring, in its zone. */
	public LayoutMember placedAs(LayoutMember gone) {
		return new LayoutMember(new Member(id(), gone.member.zone(), gone.member.ringId()), this.host, this.port,
				this.storageId);
	}

}
