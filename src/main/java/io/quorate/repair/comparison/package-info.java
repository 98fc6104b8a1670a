/**
 * How two stores are compared and brought to hold the same: which entries both must hold,
 * hashes of key ranges, their refinement, and what follows from two lists of headers.
 * Pure: what it asks of either store it asks of an interface, in plain steps one after
 * the other, so that a simulation runs the very same code.
 */
@NullMarked
@NamedInterface("comparison")
package io.quorate.repair.comparison;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
