package io.quorate.coordinator;

/** The replicas that a read asks first. */
enum ReadContacts {

	/** The best ones, as many as must answer; more only when one is slow or fails. */
	BEST_FIRST {

		@Override
		int first(ReplicaPlan plan) {
			return plan.ack();
		}

	},

	/** All that hold copies, at once: more work, but no replica to wait for. */
	ALL {

		@Override
		int first(ReplicaPlan plan) {
			return plan.from();
		}

	};

	abstract int first(ReplicaPlan plan);

}
