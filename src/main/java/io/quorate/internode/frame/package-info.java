/**
 * The transport below the messages: a port, its pending connections, and connections that
 * send the frames of one turn of an event loop together. No frame is larger than
 * {@link io.quorate.internode.wire.Wire} allows.
 */
@NullMarked
package io.quorate.internode.frame;

import org.jspecify.annotations.NullMarked;
