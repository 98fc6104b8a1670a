package io.quorate.membership.agreement;

import java.io.IOException;

import io.quorate.membership.layout.LayoutException;
import io.quorate.storage.StoreIdentity;

/**
 * The failure of a node to start as a member of a layout that does not name it any more:
 * it has left, and its data is not part of the cluster.
 */
public final class FormerMemberException extends LayoutException {

	/** The way of a former member back. */
	public static final String WITH_AN_EMPTY_ONE = "move it away, and start the node with an empty one";

	private final String member;

	private final long version;

	FormerMemberException(String member, long version) {
		this(member, version,
				"Move its directory (quorate.storage.directory) away, and start it with an empty one to have it join again.");
	}

	private FormerMemberException(String member, long version, String remedy) {
		super("version %d of the layout (file LAYOUT) does not name this node, '%s': it has left the cluster. %s"
			.formatted(version, member, remedy), null);
		this.member = member;
		this.version = version;
	}

	/**
	 * Has the next start begin with another directory, and join as a new node.
	 * @return the failure of this start; it names the remedy if the directory cannot be
	 * marked
	 */
	FormerMemberException beginningAnew(StoreIdentity identity) {
		try {
			identity.abandon();
			return new FormerMemberException(this.member, this.version,
					"The next start sets its files aside, in the directory former, and joins as a new node.");
		}
		catch (IOException failure) {
			addSuppressed(failure);
			return this;
		}
	}

}
