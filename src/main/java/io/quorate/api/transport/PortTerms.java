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
 * @param maxConnections most connections to it, half of them from one address
 * @param refusals makes the log of the clients that one port refuses
 * @param connectionsRefused counts connections beyond the bound
 * @param connections number of connections of clients, at present
 * @param connectionLifetime time after which the next answer closes a connection
 * @param tls meters of TLS
 * @param hosts hosts that are served, beside this machine itself; any if empty
 * @param servesAnonymous whether requests without credentials have rights at this moment
 */
public record PortTerms(int maxConnections, Supplier<RefusalLog> refusals, Counter connectionsRefused,
		AtomicInteger connections, Duration connectionLifetime, TlsMeasures tls, List<String> hosts,
		BooleanSupplier servesAnonymous) {
}
