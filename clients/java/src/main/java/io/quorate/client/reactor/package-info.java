/**
 * The client for Reactor. It needs {@code reactor-core}, an optional dependency.
 */
@NullMarked
package io.quorate.client.reactor;

import org.jspecify.annotations.NullMarked;
