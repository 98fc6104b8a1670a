package io.quorate.security.access;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.TimeSource;
import io.quorate.entry.Key;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The work of the gate for a request: without an access file, and with a token of one of
 * many principals, each of which has as many prefixes as are allowed.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class GateBenchmark {

	private static final Key KEY = Key.of("p0-17-42");

	private final Credentials none = new Credentials(List.of(), List.of(), "192.0.2.1");

	/** Principals in the access file. */
	@Param({ "1", "1000" })
	private int principals;

	private Gate open = gate(Access.OPEN);

	private Gate closed = this.open;

	private Credentials token = this.none;

	/** Reads the access file. */
	@Setup
	public void prepare() {
		List<Token> tokens = AccessText.tokens(this.principals);
		this.closed = gate(AccessReader.read(AccessText.of(tokens, AccessReader.MAX_PREFIXES), Access.NONE));
		this.token = new Credentials(List.of("Bearer " + tokens.getFirst().text()), List.of(), "192.0.2.1");
	}

	private static Gate gate(Access access) {
		return new Gate(new Identities(() -> access, null), new Audit(System::nanoTime),
				new AccessMetrics(new SimpleMeterRegistry()), TimeSource.SYSTEM, System::nanoTime);
	}

	private static Caller pass(Gate gate, Credentials sent) {
		Caller caller = Objects.requireNonNull(gate.enter(sent, Right.DATA));
		var _ = caller.reading(KEY);
		caller.served();
		return caller;
	}

	@Benchmark
	public Caller withoutAccessFile() {
		return pass(this.open, this.none);
	}

	@Benchmark
	public Caller withAToken() {
		return pass(this.closed, this.token);
	}

}
