/**
 * The messages between nodes, and their bytes: requests, replies, the handshake and the
 * parts of both. Knows no connection. A codec reads only what its writer can have
 * written, and throws {@link io.quorate.internode.wire.MalformedMessageException} for the
 * rest.
 */
@NullMarked
package io.quorate.internode.wire;

import org.jspecify.annotations.NullMarked;
