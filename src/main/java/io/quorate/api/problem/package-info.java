/**
 * Problem documents (RFC 9457) and the exception that carries one. Immutable values
 * without threads, which depend on no other package of the room.
 */
@NullMarked
package io.quorate.api.problem;

import org.jspecify.annotations.NullMarked;
