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
import io.quorate.storage.FileProgress;
import org.assertj.core.data.Index;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The progress of a command that takes long, as a person sees it. */
class ProgressTests {

	private final AtomicLong seconds = new AtomicLong();

	private final ByteArrayOutputStream err = new ByteArrayOutputStream();

	private ProgressUnit unit = ProgressUnit.of("records");

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
			assertThat(text()).isEqualTo("exported  10 records  1/s  in 0:10  failed 0" + System.lineSeparator());
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
	void aRateStaysWhileTheNextReportIsDue() {
		try (Progress progress = progress(false, Double.NaN)) {
			progress.done(500);
			this.seconds.set(5);
			progress.draw();
			this.seconds.set(8);
			progress.draw();
			progress.done(500);
			this.seconds.set(10);
			this.err.reset();
			progress.draw();
			assertThat(text()).contains("1,000 records  100/s");
			this.seconds.set(100);
			progress.draw();
			assertThat(text()).contains("1,000 records  0/s");
		}
	}

	@Test
	void bytesHaveUnitsOfTheirSize() {
		this.unit = ProgressUnit.BYTES;
		try (Progress progress = progress(true, 0.5)) {
			progress.done(1_250_000_000);
			this.seconds.set(10);
			progress.draw();
			assertThat(text()).endsWith("]  50 %  1.3 GB  125.0 MB/s  ETA 0:10  failed 0");
		}
		assertThat(text()).contains("exported 1.3 GB in 10.0 s, 125.0 MB/s; failed: 0");
		assertThat(ProgressUnit.BYTES.amount(999)).isEqualTo("999 B");
		assertThat(ProgressUnit.BYTES.amount(1_000)).isEqualTo("1.0 kB");
		assertThat(ProgressUnit.BYTES.amount(999_960)).isEqualTo("1.0 MB");
		assertThat(ProgressUnit.BYTES.amount(20_000_000_000_000_000L)).isEqualTo("20000.0 TB");
	}

	@Test
	void aMessageStandsAboveTheBar() {
		try (Progress progress = progress(true, 0.5)) {
			progress.draw();
			this.err.reset();
			progress.pauseFor(() -> this.err.writeBytes("message\n".getBytes(StandardCharsets.UTF_8)));
			assertThat(text()).isEqualTo("\r\u001b[Kmessage\n");
		}
	}

	@Test
	void aStepOfFilesThatDoesNotEndHasFailed() {
		try (FileSteps steps = new FileSteps(terminal(false))) {
			steps.begin(FileProgress.Step.COPY, 2_000);
			steps.done(2_000);
			steps.end();
			steps.begin(FileProgress.Step.VERIFY, 2_000);
			steps.done(500);
		}
		assertThat(text().lines().toList()).hasSize(2)
			.satisfies((line) -> assertThat(line).startsWith("copied 2.0 kB in ").endsWith("/s; failed: 0"),
					Index.atIndex(0))
			.satisfies((line) -> assertThat(line).startsWith("verified 500 B in ").endsWith("/s; failed: 1"),
					Index.atIndex(1));
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

	private Terminal terminal(boolean isScreen) {
		return new Terminal(new ByteArrayInputStream(new byte[0]), new Output(this.err, false),
				new PrintStream(this.err, false, StandardCharsets.UTF_8), new Screens(isScreen, isScreen), Map.of(),
				Path.of(""));
	}

	private Progress progress(boolean isScreen, double share) {
		return new Progress(terminal(isScreen), "exported", this.unit, () -> share,
				() -> TimeUnit.SECONDS.toNanos(this.seconds.get()));
	}

	private String text() {
		return this.err.toString(StandardCharsets.UTF_8);
	}

}
