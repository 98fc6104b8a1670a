package io.quorate.coordinator;

import java.util.function.Consumer;

/** The nodes that are not expected to answer soon. */
interface Suspects {

	/** No node, ever: for a cluster of one node. */
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

	/**
	 * Whether a node has been silent for too long with work outstanding, is about to
	 * stop, or is not connected.
	 */
	boolean isSuspect(String node);

	/**
	 * Notifies a listener of each node that becomes suspect, from any thread, after
	 * {@link #isSuspect} returns {@code true} for it. The listener does not block.
	 */
	void onSuspect(Consumer<String> listener);

}
