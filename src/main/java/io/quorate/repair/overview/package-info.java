/**
 * The state of repair between this node and its peers, in one place, for the interfaces
 * that show it.
 * <p>
 * Promises that an answer is made of facts that this node has already: it sends no
 * request, and does not block. No threads of its own.
 */
@NullMarked
@NamedInterface("overview")
package io.quorate.repair.overview;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
