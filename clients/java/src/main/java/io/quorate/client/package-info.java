/**
 * A client of Quorate, a replicated key-value service with an HTTP API: synchronous
 * ({@link io.quorate.client.QuorateClient}), asynchronous
 * ({@link io.quorate.client.QuorateAsyncClient}), and for Reactor
 * ({@link io.quorate.client.reactor.QuorateReactiveClient}).
 * <p>
 * All of them have one set of rules. A call goes to the next node when one cannot answer.
 * A write whose outcome is unknown is never repeated, unless the caller asks for that. A
 * part of a range never passes for the whole. Every call has a deadline, which covers all
 * nodes that it asks and the whole body of the answer. All errors are
 * {@link io.quorate.client.QuorateException}s.
 */
@NullMarked
package io.quorate.client;

import org.jspecify.annotations.NullMarked;
