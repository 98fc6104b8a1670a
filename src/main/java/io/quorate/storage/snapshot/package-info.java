/**
 * Snapshots of a store: a directory with the files of one moment, a list of them with
 * their sizes and checksums, and their verification. Knows nothing of a running store.
 */
@NullMarked
@NamedInterface("snapshot")
package io.quorate.storage.snapshot;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
