/** Threads of one owner, and the end of the store's threads. */
@NullMarked
@NamedInterface("thread")
package io.quorate.storage.thread;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
