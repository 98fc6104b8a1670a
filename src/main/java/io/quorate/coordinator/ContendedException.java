package io.quorate.coordinator;

/**
 * The failure of a request on a register for which the rounds of others were faster until
 * its deadline: nothing was written, and nothing will be. Carries no stack trace.
 */
public final class ContendedException extends RuntimeException {

	private final int rounds;

	/** Reports the number of rounds that were in vain. */
	public ContendedException(int rounds) {
		super("others have written the key during each of %d rounds until the deadline".formatted(rounds), null, false,
				false);
		this.rounds = rounds;
	}

	/** Number of rounds that were in vain. */
	public int rounds() {
		return this.rounds;
	}

}
