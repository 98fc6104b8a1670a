package io.quorate.internode.peer;

/**
 * The time from a request to its reply.
 *
 * @param nanos by the clock that judges the silence of a peer
 * @param askedNanos instant of the request, by the clock that goes on while this machine
 * is suspended
 */
record RoundTrip(long nanos, long askedNanos) {
}
