package io.quorate.replica;

import io.quorate.storage.ScanPage;

/** What a replica says when asked for a page. */
public sealed interface PageReply {

	/** The page. */
	record Page(ScanPage page) implements PageReply {
	}

	/** It cannot say. */
	record Failed(Failure failure) implements PageReply {
	}

}
