/**
 * The restoration of a snapshot to a directory that a node can be started with, and the
 * directories of stopped nodes: a program of its own, while the node is stopped.
 */
@NullMarked
@NamedInterface("restore")
package io.quorate.storage.restore;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
