package io.quorate.api.transport;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.micrometer.core.instrument.Counter;
import io.quorate.security.RefusalLog;

/**
 * The limits, logs and meters of a port for HTTP.
 *
 * @param maxConnections most connections to it, half of them from one address
 * @param refusals makes the log of the clients that one port refuses
 * @param connectionsRefused counts connections beyond the bound
 * @param connections number of connections of clients, at present
 */
public record PortTerms(int maxConnections, Supplier<RefusalLog> refusals, Counter connectionsRefused,
		AtomicInteger connections) {
}
