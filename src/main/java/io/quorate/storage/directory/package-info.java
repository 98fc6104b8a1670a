/**
 * The directory of a store as a whole: the node that owns its data, the lock of the
 * process, the ceiling of the clock, and a check of all files against each other.
 */
@NullMarked
package io.quorate.storage.directory;

import org.jspecify.annotations.NullMarked;
