package io.quorate.coordinator;

/** How many replicas a read asks to begin with. */
enum ReadContacts {

	/** As many as must answer, the best ones; others only when one is slow or fails. */
	BEST_FIRST {

		@Override
		int first(ReplicaPlan plan) {
			return plan.ack();
		}

	},

	/** All that hold copies, at once: more work, and nothing to wait for. */
	ALL {

		@Override
		int first(ReplicaPlan plan) {
			return plan.from();
		}

	};

	abstract int first(ReplicaPlan plan);

}
