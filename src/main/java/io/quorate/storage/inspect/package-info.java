/**
 * The inspection of a directory, for people: {@link io.quorate.storage.inspect.Inspect}.
 * Reads files and changes none; needs no lock, no configuration and no other part of a
 * node.
 */
@NullMarked
@NamedInterface("inspect")
package io.quorate.storage.inspect;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
