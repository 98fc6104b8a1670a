/**
 * The records of a node on itself and its peers, each in a small file: the peers' data
 * status ({@code PEERS}), the purge horizon ({@code HORIZON}), the history of its data
 * ({@code LINEAGE}) and its rebuild ({@code REBUILD}). Read at the start; what is
 * recorded is on the disk when the writing method returns.
 */
@NullMarked
@NamedInterface("record")
package io.quorate.repair.record;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
