/** The bytes of a log's segments, the store's own and those of hints. Pure. */
@NullMarked
@NamedInterface("log")
package io.quorate.storage.log;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
