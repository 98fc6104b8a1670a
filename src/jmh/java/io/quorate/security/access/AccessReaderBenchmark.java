package io.quorate.security.access;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The reading of an access file of as many principals as are allowed, of which one has
 * another token, or all have. A node reads one when it starts, and so does the setup:
 * {@code tools/bench-micro -bm ss -wi 0 -i 1 -f 10 AccessReader} measures the first
 * change of a file in the life of a process, whose code is hardly compiled.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AccessReaderBenchmark {

	/** Prefixes for each of two rights of a principal. */
	@Param({ "1", "32" })
	private int prefixes;

	/** Principals that have another token than before. */
	@Param({ "1", "1000" })
	private int changed;

	private byte[] file = {};

	private Access before = Access.OPEN;

	/** Writes the file, and reads the one before. */
	@Setup
	public void prepare() {
		List<Token> tokens = AccessText.tokens(AccessReader.MAX_PRINCIPALS);
		this.before = AccessReader.read(AccessText.of(tokens, this.prefixes), Access.NONE);
		List<Token> others = AccessText.tokens(this.changed);
		this.file = AccessText.of(
				Stream.concat(others.stream(), tokens.stream().skip(this.changed)).toList(), this.prefixes);
	}

	/* All that is done for a change but for the lines in the logs. */
	@Benchmark
	public Object reloading() {
		Access later = AccessReader.read(this.file, this.before);
		return this.before.changesTo(later).isEmpty() ? this.before : later;
	}

}
