/**
 * The assembly of the room: beans, start and stop.
 */
@NullMarked
package io.quorate.internode.wiring;

import org.jspecify.annotations.NullMarked;
