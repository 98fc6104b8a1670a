package io.quorate.coordinator;

import java.util.function.Consumer;

/** Which nodes are not expected to answer soon. */
interface Suspects {

	/** Nobody, ever: for a node alone. */
	Suspects NONE = new Suspects() {

		@Override
		public boolean isSuspect(String node) {
			return false;
		}

		@Override
		public void onSuspect(Consumer<String> listener) {
			// never called
		}

	};

	/** Whether a node has been silent for too long with work outstanding, or is gone. */
	boolean isSuspect(String node);

	/**
	 * Has a listener told of each node that becomes suspect, from any thread, after
	 * {@link #isSuspect} says so. The listener does not block.
	 */
	void onSuspect(Consumer<String> listener);

}
