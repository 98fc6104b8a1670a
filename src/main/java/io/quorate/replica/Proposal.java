package io.quorate.replica;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Condition;

/**
 * The first half of a round on the register of a key: what its coordinator asks each
 * replica to promise.
 *
 * @param version version of the request, whichever node carries it; not above the ballot
 * @param ballot timestamp of the round: an entry that the round writes has it
 * @param condition condition of the request, {@link Condition#NONE} in a round that has
 * to settle whatever it finds
 * @param nowMillis instant by which the coordinator judges expiry in this round, in
 * milliseconds since the epoch
 */
public record Proposal(Timestamp version, Timestamp ballot, Condition condition, long nowMillis) {
}
