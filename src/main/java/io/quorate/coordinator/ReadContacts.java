package io.quorate.coordinator;

/** The replicas that a read asks first. */
enum ReadContacts {

	/**
	 * The best ones, as many as must answer; more only when one is slow or fails, or when
	 * too few are of both sides of a change.
	 */
	BEST_FIRST {

		@Override
		int first(ReplicaPlan plan) {
			return plan.first();
		}

	},

	/** All that hold copies, at once: more work, but no replica to wait for. */
	ALL {

		@Override
		int first(ReplicaPlan plan) {
			return plan.asked();
		}

	};

	abstract int first(ReplicaPlan plan);

}
