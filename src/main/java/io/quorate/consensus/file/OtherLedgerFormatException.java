package io.quorate.consensus.file;

import java.io.IOException;
import java.nio.file.Path;

/** The failure to read a ledger of a format that this program does not read. */
public final class OtherLedgerFormatException extends IOException {

	private final int found;

	private final int supported;

	OtherLedgerFormatException(Path file, int found, int supported) {
		super("the ledger %s has format version %d, not %d".formatted(file, found, supported));
		this.found = found;
		this.supported = supported;
	}

	/** The version of its format. */
	public int found() {
		return this.found;
	}

	/** The version that this program reads. */
	public int supported() {
		return this.supported;
	}

}
