package io.quorate.internode;

import io.quorate.membership.reports.Program;
import org.jspecify.annotations.Nullable;

/**
 * The reports of members on the programs that they run. Called on event loops, by several
 * at once; must neither block nor fail.
 */
public interface ProgramExchange {

	/** The program that this node runs. */
	Program own();

	/**
	 * A peer has reported its program, by its answer to a handshake or a keep-alive.
	 */
	void heard(String peer, Program theirs);

	/**
	 * A peer and this node have refused each other, or the peer that was refused is gone.
	 * @param why difference that an operator has to remove, {@code null} when the peer is
	 * gone
	 */
	void refused(String peer, @Nullable String why);

}
