package io.quorate.command.bench;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.quorate.command.terminal.Output;
import io.quorate.command.terminal.OutputFormat;
import io.quorate.command.terminal.Terminal.Screens;
import io.quorate.command.terminal.Terminal;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BenchResultTests {

	private BenchResult result = ofIntervals(Duration.ofSeconds(10));

	private final ByteArrayOutputStream out = new ByteArrayOutputStream();

	private final ByteArrayOutputStream err = new ByteArrayOutputStream();

	private static BenchResult ofIntervals(Duration interval) {
		return new BenchResult(new BenchSchedule(100, 0.5, Duration.ofSeconds(1), Duration.ofSeconds(10)), interval);
	}

	private void print(OutputFormat format) {
		this.result.print(format, new Terminal(InputStream.nullInputStream(), new Output(this.out, false),
				new PrintStream(this.err, true, StandardCharsets.UTF_8), Screens.NONE, Map.of(), Path.of("home")));
	}

	private void answeredAfter(long request, long millis) {
		this.result.answered(request, TimeUnit.MILLISECONDS.toNanos(millis), null);
	}

	@Test
	void latenciesAreThoseAfterTheWarmup() {
		answeredAfter(99, 5000);
		for (int i = 0; i < 1000; i++) {
			answeredAfter(100 + i, 1 + i / 10);
		}
		print(OutputFormat.RAW);
		assertThat(this.out.toString(StandardCharsets.UTF_8).lines()).containsExactly(
				"get\t50\t50\t0\t50.0\t90.0\t99.0\t100.0\t100.0", "put\t50\t50\t0\t50.0\t90.0\t99.0\t100.0\t100.0");
		assertThat(this.err.size()).isZero();
		assertThat(this.result.isWhole()).isTrue();
	}

	@Test
	void aRequestBelongsToTheIntervalInWhichItWasDue() {
		this.result = ofIntervals(Duration.ofMillis(7500));
		answeredAfter(849, 20);
		answeredAfter(850, 10);
		this.result.answered(1099, 1, "late");
		print(OutputFormat.RAW);
		assertThat(this.out.toString(StandardCharsets.UTF_8).lines()).containsExactly(
				"0-7.5\tget\t50\t0\t0\t20.0\t20.0\t20.0\t20.0\t20.0", "0-7.5\tput\t50\t0\t0\t0.0\t0.0\t0.0\t0.0\t0.0",
				"7.5-10\tget\t50\t0\t1\t0.0\t0.0\t0.0\t0.0\t0.0", "7.5-10\tput\t50\t0\t0\t10.0\t10.0\t10.0\t10.0\t10.0",
				"all\tget\t50\t0\t1\t20.0\t20.0\t20.0\t20.0\t20.0", "all\tput\t50\t0\t0\t10.0\t10.0\t10.0\t10.0\t10.0");
	}

	@Test
	void requestsDoneAreThoseOfTheTimeThatTheNodesTook() {
		// Half as fast as asked for.
		for (int i = 0; i < 1000; i++) {
			answeredAfter(100 + i, 5 + i * 10);
		}
		print(OutputFormat.TABLE);
		assertThat(this.out.toString(StandardCharsets.UTF_8)).contains("get      50       25 ",
				"put      50       25 ");
	}

	@Test
	void failuresHaveNoLatencyAndTheMostFrequentReasonComesFirst() {
		this.result.answered(101, 1, "rare");
		for (int i = 0; i < 3; i++) {
			this.result.answered(102, 1, "frequent");
		}
		this.result.answered(0, 1, "in the warm-up");
		print(OutputFormat.RAW);
		assertThat(this.out.toString(StandardCharsets.UTF_8).lines()).allMatch((line) -> line.endsWith("\t0.0"));
		assertThat(this.err.toString(StandardCharsets.UTF_8).lines()).containsExactly("3 failed: frequent",
				"1 failed: rare");
		assertThat(this.result.isWhole()).isFalse();
	}

	@Test
	void requestsThatWereNotSentAreSaid() {
		this.result.notSent(5);
		assertThat(this.result.isWhole()).as("of the warm-up").isTrue();
		this.result.notSent(500);
		print(OutputFormat.TABLE);
		assertThat(this.err.toString(StandardCharsets.UTF_8))
			.isEqualToIgnoringNewLines("1 requests were not sent: the nodes do not keep up with 100 a second");
		assertThat(this.result.isWhole()).isFalse();
	}

}
