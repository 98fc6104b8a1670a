/**
 * How far this node and its peers are apart, in one place, for whoever shows it.
 * <p>
 * Promises that an answer is made of what this node knows already: nobody is asked, and
 * nothing is waited for. No threads of its own.
 */
@NullMarked
@NamedInterface("overview")
package io.quorate.repair.overview;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
