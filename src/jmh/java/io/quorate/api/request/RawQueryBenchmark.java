package io.quorate.api.request;

import java.util.concurrent.TimeUnit;

import io.quorate.bench.Samples;
import io.quorate.entry.Key;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The key of a request, from its query. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@NullUnmarked // JMH fills the fields
public class RawQueryBenchmark {

	@Param
	public Text text;

	private final String[] ids = new String[Samples.KEYS];

	private final String[] queries = new String[Samples.KEYS];

	private int at;

	@Setup
	public void fill() {
		for (int i = 0; i < Samples.KEYS; i++) {
			String id = this.text.id.formatted(i);
			this.ids[i] = id;
			this.queries[i] = "id=" + id + "&replicas=2/3";
		}
	}

	@Benchmark
	public Object parse() {
		return RawQuery.parse(this.queries[this.at++ & (Samples.KEYS - 1)]);
	}

	@Benchmark
	public Key parseAndKey() {
		return KeyParameter.of(RawQuery.parse(this.queries[this.at++ & (Samples.KEYS - 1)]));
	}

	@Benchmark
	public byte[] decode() {
		return PercentCoding.decode("id", this.ids[this.at++ & (Samples.KEYS - 1)]);
	}

	/** The forms in which ids of 16 bytes are written. */
	public enum Text {

		/** Without an escape. */
		PLAIN("user-%011d"),

		/** With escapes of ASCII. */
		ESCAPED("user%%2F%%3A%010d"),

		/** With escapes of other characters, which are checked to be UTF-8. */
		UTF8("us%%C3%%A9r%%E2%%82%%AC%08d");

		private final String id;

		Text(String id) {
			this.id = id;
		}

	}

}
