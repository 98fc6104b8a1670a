package io.quorate.client;

/** What a client ends when it is closed. */
interface UnderWay {

	/** Ends it where it is. Does nothing after its end. */
	void abandon(UnavailableException reason);

}
