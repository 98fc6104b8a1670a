/**
 * What every durable file needs: to appear whole or not at all, and to stay.
 */
@NullMarked
@NamedInterface("file")
package io.quorate.storage.file;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
