package io.quorate.api;

import java.util.function.DoubleSupplier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.api.transport.TlsMeasures;

/** Registers the meters of TLS on the ports for HTTP. */
record PortMeasures(MeterRegistry registry) implements TlsMeasures {

	@Override
	public Counter handshakes(String port, String outcome) {
		return ApiMeters.TLS_HANDSHAKES.counter(this.registry, port, outcome);
	}

	@Override
	public void certificateOf(String port, DoubleSupplier remainingSeconds) {
		ApiMeters.CERTIFICATE_REMAINING.gauge(this.registry, remainingSeconds, DoubleSupplier::getAsDouble, port);
	}

}
