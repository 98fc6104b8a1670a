package io.quorate.coordinator;

import io.quorate.clock.Deadline;
import io.quorate.entry.Key;

/**
 * The request to read one key.
 *
 * @param lists replica sets by which it is planned
 * @param requestContext terms of the request: its permit counts the values that are kept
 * for the read
 */
record ReadRequest(Key key, PreferenceLists lists, ReplicaPlan plan, RequestContext requestContext) {

	/** A request that is planned by some replica sets. */
	static ReadRequest of(Key key, PreferenceLists lists, RequestContext requestContext) {
		return new ReadRequest(key, lists, lists.replicasOf(key).plan(requestContext.consistency()), requestContext);
	}

	Deadline deadline() {
		return this.requestContext.deadline();
	}

	Admission.Permit permit() {
		return this.requestContext.permit();
	}

	RequestTimeline timeline() {
		return this.requestContext.timeline();
	}

}
