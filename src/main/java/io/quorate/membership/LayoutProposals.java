package io.quorate.membership;

import java.util.concurrent.CompletableFuture;

/** The part of the decisions about the layout that proposes the changes of operators. */
@FunctionalInterface
public interface LayoutProposals {

	/**
	 * Proposes a change.
	 * @param version version of the layout that it is to follow
	 * @param by operator, in words
	 * @return the layout that begins or ends the change, once it is decided; fails with a
	 * {@link ChangeRefusedException}
	 */
	CompletableFuture<LayoutVersion> propose(ChangeRequest change, long version, String by);

}
