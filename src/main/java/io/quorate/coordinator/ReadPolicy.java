package io.quorate.coordinator;

/**
 * The replicas that a read asks first, and the size of the values that they send.
 *
 * @param digestAbove a value of more bytes is left out by replicas that are not asked for
 * the whole; {@link Integer#MAX_VALUE} to have none left out
 */
record ReadPolicy(ReadContacts contacts, int digestAbove) {

	/** Number of replicas that a read asks first. */
	int first(ReplicaPlan plan) {
		return this.contacts.first(plan);
	}

	/**
	 * Number of these, the best ones, that are asked for the whole value: as few as leave
	 * one of them among any replicas that are enough for an answer, so that no read waits
	 * for the value alone.
	 */
	int whole(ReplicaPlan plan) {
		return first(plan) - plan.ack() + 1;
	}

}
