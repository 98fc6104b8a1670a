package io.quorate.command;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.command.NodeRates.Kind;
import io.quorate.command.Terminal.Screens;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The progress of a command that takes long, as a person sees it. */
class ProgressTests {

	private final AtomicLong seconds = new AtomicLong();

	private final ByteArrayOutputStream err = new ByteArrayOutputStream();

	@Test
	void aScreenHasABarThatIsDrawnAgain() {
		try (Progress progress = progress(true, 0.25)) {
			progress.done(1_500);
			progress.failed(2);
			this.seconds.set(30);
			progress.draw();
			assertThat(text()).isEqualTo(
					"\r\u001b[Kexported [=====>                  ]  25 %  1,500 records  50/s  ETA 1:30  failed 2");
			this.err.reset();
		}
		assertThat(text())
			.isEqualTo("\r\u001b[Kexported 1,500 records in 30.0 s, 50/s; failed: 2" + System.lineSeparator());
	}

	@Test
	void aFileHasPlainLines() {
		try (Progress progress = progress(false, Double.NaN)) {
			progress.done(10);
			this.seconds.set(10);
			progress.draw();
			assertThat(text()).isEqualTo("exported  10 records  1/s  failed 0" + System.lineSeparator());
		}
	}

	@Test
	void aRateIsThatOfTheLastSeconds() {
		try (Progress progress = progress(false, Double.NaN)) {
			progress.done(10_000);
			this.seconds.set(10);
			progress.draw();
			this.err.reset();
			this.seconds.set(70);
			progress.draw();
			assertThat(text()).contains("10,000 records  0/s");
		}
	}

	@Test
	void rateOfRequestsAreTakenFromMeters() {
		NodeRates before = NodeRates.parse("""
				quorate_request_seconds_count{cluster="q",node="n0",operation="get",outcome="success"} 100
				quorate_request_seconds_count{cluster="q",node="n0",operation="put",outcome="unavailable"} 5.0
				quorate_request_seconds_sum{cluster="q",node="n0",operation="put",outcome="success"} 7
				""", 0);
		NodeRates after = NodeRates.parse("""
				quorate_request_seconds_count{cluster="q",node="n0",operation="get",outcome="success"} 150
				quorate_request_seconds_count{cluster="q",node="n0",operation="get",outcome="not_found"} 50
				quorate_request_seconds_count{cluster="q",node="n0",operation="put",outcome="unavailable"} 9.0
				""", TimeUnit.SECONDS.toNanos(2));
		assertThat(after.since(before, Kind.GET)).isEqualTo(50);
		assertThat(after.since(before, Kind.PUT)).isEqualTo(2);
		assertThat(after.since(before, Kind.ERROR)).isEqualTo(2);
		assertThat(before.since(after, Kind.GET)).as("after a restart").isZero();
	}

	private Progress progress(boolean isScreen, double share) {
		Terminal terminal = new Terminal(new ByteArrayInputStream(new byte[0]), new PrintStream(this.err),
				new PrintStream(this.err, false, StandardCharsets.UTF_8), new Screens(isScreen, isScreen), Map.of(),
				Path.of(""));
		return new Progress(terminal, "exported", "records", () -> share,
				() -> TimeUnit.SECONDS.toNanos(this.seconds.get()));
	}

	private String text() {
		return this.err.toString(StandardCharsets.UTF_8);
	}

}
