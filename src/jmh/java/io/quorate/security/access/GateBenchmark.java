package io.quorate.security.access;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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
 * many principals, each of which has as many prefixes as are allowed. And the reading of
 * such a file.
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

	private byte[] file = {};

	private Gate open = gate(Access.OPEN);

	private Gate closed = this.open;

	private Credentials token = this.none;

	/** Writes the access file. */
	@Setup
	public void prepare() {
		Token first = Token.generate("p0");
		this.file = IntStream.range(0, this.principals)
			.mapToObj((number) -> line(number, (number == 0) ? first : Token.generate("p" + number)))
			.collect(Collectors.joining("\n", "principals:\n", "\n"))
			.getBytes(StandardCharsets.UTF_8);
		this.closed = gate(AccessReader.read(this.file));
		this.token = new Credentials(List.of("Bearer " + first.text()), List.of(), "192.0.2.1");
	}

	private static String line(int number, Token token) {
		String prefixes = IntStream.range(0, AccessReader.MAX_PREFIXES)
			.mapToObj((prefix) -> "\"p%d-%d-\"".formatted(number, prefix))
			.collect(Collectors.joining(", ", "[", "]"));
		return "  p%d: {tokens: [{sha256: \"%s\"}], read: %s}".formatted(number, token.sha256(), prefixes);
	}

	private static Gate gate(Access access) {
		return new Gate(new Identities(() -> access, null), new Audit(System::nanoTime),
				new AccessMetrics(new SimpleMeterRegistry()), TimeSource.SYSTEM, System::nanoTime);
	}

	private static Caller pass(Gate gate, Credentials sent) {
		Caller caller = Objects.requireNonNull(gate.enter(sent, Right.DATA));
		caller.requireRead(KEY);
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

	@Benchmark
	public Object readingTheFile() {
		return AccessReader.read(this.file);
	}

}
