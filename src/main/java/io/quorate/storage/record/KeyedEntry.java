package io.quorate.storage.record;

import io.quorate.entry.Key;

/** A stored entry and its key. */
public record KeyedEntry(Key key, StoredEntry entry) {
}
