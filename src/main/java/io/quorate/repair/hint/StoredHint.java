package io.quorate.repair.hint;

/**
 * A hint that is to be handed over, and its place in its segment.
 *
 * @param end offset at which the next hint of its segment begins
 */
record StoredHint(Segment segment, Hint hint, long end) {

	long millis() {
		return this.hint.millis();
	}

}
