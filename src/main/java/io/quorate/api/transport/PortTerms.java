package io.quorate.api.transport;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.micrometer.core.instrument.Counter;
import io.quorate.security.RefusalLog;

/**
 * The terms of a port for HTTP.
 *
 * @param maxConnections most connections to it, half of them from one address
 * @param refusals makes the log of those that one port refuses
 * @param connectionsRefused counts connections beyond the bound
 * @param connections of clients, at present
 */
public record PortTerms(int maxConnections, Supplier<RefusalLog> refusals, Counter connectionsRefused,
		AtomicInteger connections) {
}
