package io.quorate.operations;

/** The number of pods that a StatefulSet is to have, as far as it is known. */
sealed interface StatefulSetScale {

	/**
	 * The number is known.
	 *
	 * @param start ordinal of the first pod
	 * @param replicas number of pods
	 */
	record Known(int start, int replicas) implements StatefulSetScale {

		/** Whether a pod of this ordinal is to stay. */
		boolean keeps(int ordinal) {
			return ordinal - this.start < this.replicas;
		}

	}

	/**
	 * The number is not known.
	 *
	 * @param why reason in words
	 * @param isLasting whether the same question gets the same answer for now
	 */
	record Unknown(String why, boolean isLasting) implements StatefulSetScale {
	}

}
