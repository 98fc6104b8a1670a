package io.quorate.replica;

import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage;

/** A replica's reply to a request for a page. */
public sealed interface PageReply {

	/** The page. */
	record Page(ScanPage page) implements PageReply {
	}

	/** The page of a request that wants no values. */
	record Headers(HeaderPage page) implements PageReply {
	}

	/** The replica cannot answer. */
	record Failed(Failure failure) implements PageReply {
	}

}
