/**
 * The only part of the room that uses Netty: request targets that no URI parser takes,
 * errors that end a request before Spring sees it, and the rate at which an answer is
 * sent. Everything here runs on the event loop of its connection.
 */
@NullMarked
package io.quorate.api.transport;

import org.jspecify.annotations.NullMarked;
