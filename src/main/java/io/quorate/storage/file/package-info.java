/** The handling of durable files: they appear whole or not at all, and stay. */
@NullMarked
@NamedInterface("file")
package io.quorate.storage.file;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
