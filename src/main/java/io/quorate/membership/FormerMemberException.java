package io.quorate.membership;

/**
 * The failure of a node to start as a member of a layout that does not name it any more:
 * it has left, and its data is not part of the cluster.
 */
public final class FormerMemberException extends LayoutException {

	FormerMemberException(String member, long version) {
		super(("version %d of the layout (file LAYOUT) does not name this node, '%s': it has left the cluster. Move its"
				+ " directory (quorate.storage.directory) away, and start it with an empty one to have it join"
				+ " again.")
			.formatted(version, member), null);
	}

}
