/** Bytes that programs of all versions have written, which today's program reads. */
@NullMarked
package io.quorate.golden;

import org.jspecify.annotations.NullMarked;
