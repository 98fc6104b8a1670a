package io.quorate.api.transport;

/** Is told how long event loops have stood still. */
@FunctionalInterface
public interface Stalls {

	/** An event loop has stood still for so long; called on it. */
	void over(long nanos);

}
