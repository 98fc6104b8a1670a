/**
 * Measurements: the store beside RocksDB, and the HTTP server beside one that does
 * nothing but HTTP; those of single parts are in the rooms of what they measure. Not part
 * of the product.
 */
@NullMarked
package io.quorate.bench;

import org.jspecify.annotations.NullMarked;
