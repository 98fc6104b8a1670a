package io.quorate.coordinator;

import io.quorate.clock.Deadline;
import io.quorate.entry.Key;

/**
 * The request to read one key.
 *
 * @param requestContext terms of the request: its permit counts the values that are kept
 * for the read
 */
record ReadRequest(Key key, ReplicaPlan plan, RequestContext requestContext) {

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
