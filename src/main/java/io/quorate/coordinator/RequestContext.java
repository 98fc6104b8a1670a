package io.quorate.coordinator;

import io.quorate.clock.Deadline;

/**
 * The terms on which a request is served.
 *
 * @param consistency numbers of replicas that are to hold the key and to answer
 * @param deadline by which the request ends
 * @param permit admits the bytes that the request holds
 * @param timeline timeline that records the request
 */
public record RequestContext(Consistency consistency, Deadline deadline, Admission.Permit permit,
		RequestTimeline timeline) {
}
