/**
 * The part of this node in the agreement, from its start to its stop: the thread of the
 * layout ({@link io.quorate.membership.exchange.LayoutThread}), the messages of other
 * members ({@link io.quorate.membership.exchange.LayoutExchange}), and the requests that
 * this node refuses meanwhile. Rests on {@code agreement} and on the interfaces of
 * {@code replica}.
 */
@NullMarked
@NamedInterface("exchange")
package io.quorate.membership.exchange;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
