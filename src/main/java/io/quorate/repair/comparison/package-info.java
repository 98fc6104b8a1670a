/**
 * The comparison of two stores, after which both hold the same entries: the entries that
 * both must hold, hashes of key ranges, their refinement, and the difference of two lists
 * of headers. Pure: it reaches either store through an interface, in plain steps one
 * after the other, so that a simulation runs the very same code.
 */
@NullMarked
@NamedInterface("comparison")
package io.quorate.repair.comparison;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
