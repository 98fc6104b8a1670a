/**
 * The file {@code LAYOUT} in the directory of a node: the ledger of its votes about the
 * layout, with the last layouts that were decided.
 */
@NullMarked
package io.quorate.membership.file;

import org.jspecify.annotations.NullMarked;
