/** The ledger of a participant as a file. */
@NullMarked
@NamedInterface("file")
package io.quorate.consensus.file;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
