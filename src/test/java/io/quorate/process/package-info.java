/**
 * Proofs on the product as users run it: nodes are processes of their own, killed,
 * starved and damaged from outside, and asked over HTTP.
 */
@NullMarked
package io.quorate.process;

import org.jspecify.annotations.NullMarked;
