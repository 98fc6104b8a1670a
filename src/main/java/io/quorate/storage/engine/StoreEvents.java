package io.quorate.storage.engine;

import java.util.function.Consumer;

import io.quorate.storage.StorageCorruptedException;

/**
 * The receivers of what happens in a store. Both take calls of any thread, and do not
 * wait.
 *
 * @param metrics counts the work
 * @param damage receives each damage that a read or a compaction meets
 */
record StoreEvents(StoreMetrics metrics, Consumer<StorageCorruptedException> damage) {
}
