/**
 * The connections that peers make to this node: the port's server, the handler of their
 * requests, and the quota of each peer.
 */
@NullMarked
package io.quorate.internode.server;

import org.jspecify.annotations.NullMarked;
