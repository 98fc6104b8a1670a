package io.quorate.consensus;

import java.io.IOException;

/**
 * The place that keeps the state of a participant over crashes and restarts.
 */
public interface Ledger {

	/** The state that was kept last, before this start. */
	AcceptorState recovered();

	/**
	 * Replaces the state, all of it or nothing: when this returns, the state survives a
	 * power failure.
	 * @throws IOException when it is not known whether the state is durable
	 */
	void keep(AcceptorState state) throws IOException;

}
