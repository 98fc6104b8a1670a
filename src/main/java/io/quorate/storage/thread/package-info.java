/** The end of the store's threads. */
@NullMarked
package io.quorate.storage.thread;

import org.jspecify.annotations.NullMarked;
