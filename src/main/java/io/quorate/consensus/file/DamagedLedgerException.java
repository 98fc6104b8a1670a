package io.quorate.consensus.file;

import java.io.IOException;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/**
 * The failure to read a ledger that is missing or not as it was written. Promises and
 * votes are lost with it: the node must not vote any more under the storage id of its
 * directory.
 */
public final class DamagedLedgerException extends IOException {

	DamagedLedgerException(Path file, String why, @Nullable Throwable cause) {
		super("the ledger %s is damaged: %s".formatted(file, why), cause);
	}

}
