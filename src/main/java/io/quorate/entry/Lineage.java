package io.quorate.entry;

import io.quorate.clock.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * The place of an entry in the history of its key. An entry has one when its timestamp
 * alone does not say it: because it was written on a known version, or is carried on
 * under a later timestamp than that of its write.
 *
 * @param version timestamp of the write, which clients see; the timestamp of the entry is
 * the same or later
 * @param parent version of what it was written on, {@link Timestamp#ZERO} when nothing
 * was held; {@code null} when that is not known
 */
public record Lineage(Timestamp version, @Nullable Timestamp parent) {
}
