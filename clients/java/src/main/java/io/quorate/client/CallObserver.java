package io.quorate.client;

/**
 * An observer of the calls of a client, for instance to measure them. It has no part in a
 * call: the client logs the errors that it throws, and goes on. A watch is no call.
 */
@FunctionalInterface
public interface CallObserver {

	/**
	 * Takes the report of a call, once for each call, before the caller has its result.
	 * The method runs on threads of the client and must not block.
	 * @param call the report
	 */
	void ended(CallReport call);

}
