package io.quorate.coordinator;

/**
 * How many replicas a read asks to begin with, and for what.
 *
 * @param digestAbove a value of more bytes is left out by those that are not asked for
 * the whole; {@link Integer#MAX_VALUE} to have none left out
 */
record ReadPolicy(ReadContacts contacts, int digestAbove) {

	/** How many are asked. */
	int first(ReplicaPlan plan) {
		return this.contacts.first(plan);
	}

	/**
	 * How many of them, the best ones, are asked for the whole value: as few as leave one
	 * of them among any that are enough for an answer, so that nothing has to be waited
	 * for on account of the value alone.
	 */
	int whole(ReplicaPlan plan) {
		return first(plan) - plan.ack() + 1;
	}

}
