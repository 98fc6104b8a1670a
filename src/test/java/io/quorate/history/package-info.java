/**
 * Histories of concurrent clients, and checkers that judge them. Knows nothing of how
 * they came about: simulations and real nodes are judged alike.
 */
@NullMarked
package io.quorate.history;

import org.jspecify.annotations.NullMarked;
