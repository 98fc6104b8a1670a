package io.quorate.api.watch;

import io.quorate.meter.Buckets;
import io.quorate.meter.DocumentedMeter;
import io.quorate.meter.MeterDeclaration;

import static io.quorate.meter.MeterDeclaration.BYTES;
import static io.quorate.meter.MeterDeclaration.SECONDS;

/** The meters of the HTTP protocol. */
public enum ApiMeters implements DocumentedMeter {

	/** Requests of clients. */
	REQUEST(MeterDeclaration.timer("quorate.request",
			"Time from the end of a request's body to the head of its answer; cancelled: the client was gone before",
			"operation", "outcome")),

	/** Whole scans. */
	SCAN(MeterDeclaration.timer("quorate.scan",
			"Time from a scan's request to the end of its records; broken off after the first of them, or left by its client",
			"outcome")),

	/** Whole batches. */
	BATCH(MeterDeclaration.timer("quorate.batch",
			"Time from the end of a batch's body until all of its answers have left; cancelled: the client was gone before",
			"outcome")),

	/** Items of batches. */
	BATCH_ITEMS(MeterDeclaration.counter("quorate.batch.items",
			"Items of batches by the status of their answers; invalid is a line that is no item, or was too late to be read",
			"op", "status")),

	/** Sizes of values. */
	VALUE_SIZE(MeterDeclaration
		.summary("quorate.value.size", "Sizes of the values that clients send and get", Buckets.SIZES, "direction")
		.in(BYTES)),

	/** Connections of clients. */
	CONNECTIONS(MeterDeclaration.gauge("quorate.api.connections", "Connections of clients that are open")),

	/** Connections beyond the bound. */
	CONNECTIONS_REFUSED(MeterDeclaration.counter("quorate.api.connections.refused",
			"Connections closed at quorate.api.max-connections, or at half of it from one address: the new one, or an idle one in its place")),

	/** Requests refused unread. */
	MALFORMED(MeterDeclaration.counter("quorate.api.malformed",
			"Requests to either port for HTTP that were refused unread: no HTTP, ambiguous, from a page of another origin, for another host, or their connection was refused; the log says why")),

	/** Handshakes of TLS. */
	TLS_HANDSHAKES(MeterDeclaration.counter("quorate.tls.handshakes",
			"Handshakes of TLS on either port for HTTP: completed, failed (the log says why), not completed in time, or no TLS (plain)",
			"port", "outcome")),

	/** The time for which clients can still connect. */
	CERTIFICATE_REMAINING(MeterDeclaration
		.gauge("quorate.api.certificate.remaining",
				"Time until the certificate of a port for HTTP expires; only of ports with TLS", "port")
		.in(SECONDS)),

	/** Slow requests. */
	SLOW_REQUESTS(MeterDeclaration.counter("quorate.slow.requests",
			"Requests that took longer than quorate.api.slow-request", "operation"));

	@SuppressWarnings("ImmutableEnumChecker") // Its lists cannot be modified.
	private final MeterDeclaration declaration;

	ApiMeters(MeterDeclaration declaration) {
		this.declaration = declaration;
	}

	@Override
	public MeterDeclaration declaration() {
		return this.declaration;
	}

}
