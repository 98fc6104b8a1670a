package io.quorate.coordinator;

import io.quorate.entry.Entry;
import org.jspecify.annotations.Nullable;

/** The entry that wins, or {@code null} when no replica holds any. */
record ResolvedRead(@Nullable Entry entry) {
}
