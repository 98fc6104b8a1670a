package io.quorate.repair.antientropy;

/**
 * Observes a comparison in which only this node receives entries. Called by the thread of
 * the comparisons; must neither wait nor fail.
 */
public interface CopyObserver {

	/** The observer that does nothing. */
	CopyObserver NONE = new CopyObserver() {

		@Override
		public void begun() {
		}

		@Override
		public void passed(int entries) {
		}

		@Override
		public void received(long bytes) {
		}

	};

	/** The comparison begins at the first key, for the first time or again. */
	void begun();

	/** Entries that both nodes must hold were compared, or received. */
	void passed(int entries);

	/** Bytes of entries were received. */
	void received(long bytes);

}
