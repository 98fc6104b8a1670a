package io.quorate.membership.agreement;

import java.util.concurrent.CompletableFuture;

import io.quorate.membership.layout.ChangeRequest;
import io.quorate.membership.layout.LayoutVersion;

/** The part of the decisions about the layout that proposes the changes of operators. */
@FunctionalInterface
public interface LayoutProposals {

	/**
	 * Proposes a change.
	 * @param version version of the layout that it is to follow
	 * @param by operator, in words
	 * @return the layout that begins or ends the change, once it is decided; fails with a
	 * {@link io.quorate.membership.layout.ChangeRefusedException}
	 */
	CompletableFuture<LayoutVersion> propose(ChangeRequest change, long version, String by);

}
