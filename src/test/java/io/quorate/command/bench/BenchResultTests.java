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

	private final BenchResult result = new BenchResult(
			new BenchSchedule(100, 0.5, Duration.ofSeconds(1), Duration.ofSeconds(10)));

	private final ByteArrayOutputStream out = new ByteArrayOutputStream();

	private final ByteArrayOutputStream err = new ByteArrayOutputStream();

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
