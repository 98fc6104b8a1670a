/**
 * Load on a running cluster with an open model: requests arrive when they are due, not
 * when earlier ones have been answered. Not part of the product.
 */
@NullMarked
package io.quorate.load;

import org.jspecify.annotations.NullMarked;
