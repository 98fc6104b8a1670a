/** The form of entries in memory, log and tables, and its bytes. Pure. */
@NullMarked
@NamedInterface("record")
package io.quorate.storage.record;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
