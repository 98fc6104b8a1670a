/**
 * The encryption of connections between nodes: certificates that are renewed without a
 * restart, and the check that a peer is a member.
 */
@NullMarked
package io.quorate.internode.tls;

import org.jspecify.annotations.NullMarked;
