package io.quorate.security.access;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.quorate.clock.TimeSource;
import io.quorate.security.jwt.Jwts;
import io.quorate.security.jwt.TestIssuer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** A gate with a text in place of the access file, which may be another one later. */
public final class TestAccess implements Supplier<Access> {

	final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	final AtomicLong nanos = new AtomicLong();

	Instant now = Instant.parse("2026-11-23T12:00:00Z");

	private final AtomicReference<Access> access = new AtomicReference<>(Access.OPEN);

	private final TestIssuer issuer = new TestIssuer();

	private final Jwts jwts = this.issuer.jwts(() -> this.now.toEpochMilli(), this.nanos::get);

	public final Gate gate = gateBy(() -> this.now.toEpochMilli());

	/** A gate that reads this clock, with the same access and the same tokens. */
	Gate gateBy(TimeSource clock) {
		return new Gate(new Identities(this, this.jwts), new Audit(this.nanos::get), new AccessMetrics(this.meters),
				clock, this.nanos::get);
	}

	/** Access that nothing restricts. */
	public static TestAccess open() {
		return new TestAccess();
	}

	/** Access as a file grants it. */
	public static TestAccess of(String file) {
		TestAccess access = new TestAccess();
		access.become(file);
		return access;
	}

	/** From now on another file is in use. */
	public void become(String file) {
		this.access.set(AccessReader.read(file.getBytes(StandardCharsets.UTF_8), this.access.get()));
	}

	/** From now on there is no file. */
	public void reopen() {
		this.access.set(Access.OPEN);
	}

	@Override
	public Access get() {
		return this.access.get();
	}

	/** A request with this token. */
	public Caller enter(Token token, Right right) {
		return Objects.requireNonNull(
				this.gate.enter(new Credentials(List.of("Bearer " + token.text()), List.of(), "192.0.2.1"), right));
	}

	/** A JSON web token of its issuer. */
	public String jwt(String subject) {
		return TestIssuer.token(subject, this.now);
	}

	/** The sender of a request without credentials. */
	public Caller caller() {
		return Objects.requireNonNull(this.gate.enter(new Credentials(List.of(), List.of(), "192.0.2.1"), Right.KNOWN));
	}

	/** Lets a second pass. */
	public void pass() {
		this.nanos.addAndGet(Duration.ofSeconds(1).toNanos());
	}

	double counted(String credential, String outcome) {
		return this.meters.get("quorate.security.requests")
			.tags("credential", credential, "outcome", outcome)
			.counter()
			.count();
	}

}
