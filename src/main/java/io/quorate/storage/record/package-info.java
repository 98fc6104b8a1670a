/**
 * The form in which entries lie in memory, log and tables, and its bytes. Pure.
 */
@NullMarked
package io.quorate.storage.record;

import org.jspecify.annotations.NullMarked;
