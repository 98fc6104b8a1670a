package io.quorate.replica;

import io.quorate.storage.Arrivals;

/** A replica's reply to a request for arrivals. */
public sealed interface ChangesReply {

	/** The arrivals. */
	record Changes(Arrivals.Page page) implements ChangesReply {
	}

	/** The replica cannot answer. */
	record Failed(Failure failure) implements ChangesReply {
	}

}
