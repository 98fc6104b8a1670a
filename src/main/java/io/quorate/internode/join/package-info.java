/**
 * The candidates that this node meets before they are members: the connection to one
 * ({@link io.quorate.internode.join.CandidateMeeting}), and the invitations without which
 * none may connect. A meeting ends at its limit. Rests on {@code context}.
 */
@NullMarked
package io.quorate.internode.join;

import org.jspecify.annotations.NullMarked;
