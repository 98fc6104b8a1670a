package io.quorate.internode;

import io.quorate.membership.Program;

/**
 * The reports of members on the programs that they run. Called on event loops, by several
 * at once; must neither block nor fail.
 */
public interface ProgramExchange {

	/** The exchange of a node whose files are at the first format level for good. */
	ProgramExchange NONE = new ProgramExchange() {

		@Override
		public Program own() {
			return Program.OLDER;
		}

		@Override
		public void heard(String peer, Program theirs) {
		}

		@Override
		public void refused(String peer, String why) {
		}

	};

	/** The program that this node runs. */
	Program own();

	/**
	 * A peer has reported its program, by a handshake or a keep-alive.
	 */
	void heard(String peer, Program theirs);

	/**
	 * A peer and this node have refused each other.
	 * @param why difference that an operator has to remove
	 */
	void refused(String peer, String why);

}
