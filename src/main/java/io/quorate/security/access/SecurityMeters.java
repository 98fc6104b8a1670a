package io.quorate.security.access;

import io.quorate.meter.DocumentedMeter;
import io.quorate.meter.MeterDeclaration;

import static io.quorate.meter.MeterDeclaration.BYTES;
import static io.quorate.meter.MeterDeclaration.SECONDS;

/** The meters of credentials and rights. */
public enum SecurityMeters implements DocumentedMeter {

	/** Requests by their credentials. */
	REQUESTS(MeterDeclaration.counter("quorate.security.requests",
			"Requests to paths that need a right, by the kind of their credentials; unauthenticated: none, unknown or expired; forbidden: without the right; limited: too many",
			"credential", "outcome")),

	/** Requests of principals. */
	PRINCIPAL_REQUESTS(MeterDeclaration.counter("quorate.principal.requests",
			"Requests of a principal that were not denied; the first 64 principals have a series, all others one together",
			"principal")),

	/** Bytes of values that principals have written. */
	PRINCIPAL_BYTES(MeterDeclaration
		.counter("quorate.principal.written", "Bytes of values that a principal has sent", "principal")
		.in(BYTES)),

	/** Whether the access file can be used. */
	ACCESS_VALID(MeterDeclaration.gauge("quorate.security.access.valid",
			"1 if the access file can be used, or there is none; 0 if not: the one before stays in use")),

	/** Time that is left of the credential that ends first. */
	CREDENTIAL_REMAINING(MeterDeclaration
		.gauge("quorate.security.credential.remaining",
				"Time until the first token with an end is void; no value when none has an end")
		.in(SECONDS)),

	/** Whether the keys of the issuer of JSON web tokens can be used. */
	JWT_KEYS_VALID(MeterDeclaration.gauge("quorate.security.jwt.keys.valid",
			"1 if the keys for JSON web tokens can be used; 0 if not: those before stay in use; only with an issuer")),

	/** Whether clients need no credentials. */
	OPEN(MeterDeclaration.gauge("quorate.security.open",
			"1 if clients need no credentials because there is no access file, else 0"));

	@SuppressWarnings("ImmutableEnumChecker") // Its lists cannot be modified.
	private final MeterDeclaration declaration;

	SecurityMeters(MeterDeclaration declaration) {
		this.declaration = declaration;
	}

	@Override
	public MeterDeclaration declaration() {
		return this.declaration;
	}

}
