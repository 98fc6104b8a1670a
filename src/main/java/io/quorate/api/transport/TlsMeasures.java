package io.quorate.api.transport;

import java.util.function.DoubleSupplier;

import io.micrometer.core.instrument.Counter;

/** The meters of TLS on the ports for HTTP. */
public interface TlsMeasures {

	/** Counter of the handshakes on a port that have ended in a way. */
	Counter handshakes(String port, String outcome);

	/** Registers the time until the certificate of a port expires. */
	void certificateOf(String port, DoubleSupplier remainingSeconds);

}
