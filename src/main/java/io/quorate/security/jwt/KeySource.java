package io.quorate.security.jwt;

import java.io.IOException;

/** The place where an issuer publishes its keys. */
interface KeySource {

	/**
	 * Its content now, at most one byte more than {@link IssuerKeys#MAX_BYTES}. Ends
	 * within a few seconds. Never called on an event loop.
	 */
	byte[] content() throws IOException, InterruptedException;

	/** Its name, for logs. */
	String name();

}
