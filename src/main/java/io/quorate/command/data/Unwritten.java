package io.quorate.command.data;

import java.io.IOException;

/** Takes the items of batches that were not written, or perhaps not. Safe for threads. */
interface Unwritten {

	/** Notes an item that was certainly not written. */
	void refused(ImportItem item, String reason) throws IOException;

	/** Notes an item that may have been written or not. */
	void unknown(ImportItem item, String reason) throws IOException;

}
