/**
 * The watch over requests ({@link io.quorate.api.watch.RequestObserver}): meters, traces
 * and the log of the slow ones. Every request is measured once, however it ends. Rests on
 * {@code request}.
 */
@NullMarked
package io.quorate.api.watch;

import org.jspecify.annotations.NullMarked;
