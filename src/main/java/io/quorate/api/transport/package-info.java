/**
 * The one place of the room that knows Netty: request targets that no URI parser takes,
 * errors that end a request before Spring sees it, and how fast an answer leaves.
 * Everything here runs on the event loop of its connection.
 */
@NullMarked
package io.quorate.api.transport;

import org.jspecify.annotations.NullMarked;
