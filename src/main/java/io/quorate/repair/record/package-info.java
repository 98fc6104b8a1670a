/**
 * The records of a node on itself and its peers, each in a small file: the peers' data
 * status ({@code PEERS}), the purge horizon ({@code HORIZON}), the history of its data
 * ({@code LINEAGE}) and its rebuild ({@code REBUILD}). Read at the start. A record may
 * change in memory before its method that writes the file: when that returns, it is on
 * the disk.
 */
@NullMarked
@NamedInterface("record")
package io.quorate.repair.record;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
