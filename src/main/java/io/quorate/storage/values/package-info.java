/**
 * Value files: large values, each written once, apart from log and tables, and referred
 * to by file, offset, length and checksum.
 */
@NullMarked
package io.quorate.storage.values;

import org.jspecify.annotations.NullMarked;
