package io.quorate.api.transport;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.micrometer.core.instrument.Counter;
import io.quorate.security.RefusalLog;

/**
 * The limits, logs and meters of a port for HTTP.
 *
 * @param limits limits of its connections
 * @param refusals makes the log of the clients that one port refuses
 * @param connections number of connections of clients, at present
 * @param tls meters of TLS
 * @param hosts hosts that are served, beside this machine itself; any if empty
 * @param servesAnonymous whether requests without credentials have rights at this moment
 */
public record PortTerms(Limits limits, Supplier<RefusalLog> refusals, AtomicInteger connections, TlsMeasures tls,
		List<String> hosts, BooleanSupplier servesAnonymous) {

	/**
	 * The limits of connections.
	 *
	 * @param most most connections at a time, half of them from one address
	 * @param lifetime time after which the next answer closes a connection
	 * @param refused counts connections beyond the bound
	 */
	public record Limits(int most, Duration lifetime, Counter refused) {
	}

}
