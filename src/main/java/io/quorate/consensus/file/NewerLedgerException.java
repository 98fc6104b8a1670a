package io.quorate.consensus.file;

import java.io.IOException;
import java.nio.file.Path;

/** The failure to read a ledger that a newer program has written. */
public final class NewerLedgerException extends IOException {

	private final int found;

	private final int supported;

	NewerLedgerException(Path file, int found, int supported) {
		super("the ledger %s has format version %d, not %d".formatted(file, found, supported));
		this.found = found;
		this.supported = supported;
	}

	/** The version of its format. */
	public int found() {
		return this.found;
	}

	/** The newest version that this program reads. */
	public int supported() {
		return this.supported;
	}

}
