package io.quorate.membership.members;

import java.util.SortedSet;

/** The encryption of the connections between this node and the other members. */
public interface MemberEncryption {

	/** Mode that is configured. */
	String mode();

	/** Members to or from which a connection without encryption is open now. */
	SortedSet<String> membersInPlain();

}
