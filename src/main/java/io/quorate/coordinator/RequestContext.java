package io.quorate.coordinator;

import io.quorate.clock.Deadline;

/**
 * On what terms a request is served.
 *
 * @param consistency how many nodes it concerns
 * @param deadline by which it ends
 * @param permit what admits the bytes that it holds
 * @param trail takes note of what becomes of it
 */
public record RequestContext(Consistency consistency, Deadline deadline, Admission.Permit permit,
		RequestTimeline trail) {
}
