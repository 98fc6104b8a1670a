package io.quorate.command.terminal;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.command.terminal.Terminal.Screens;
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
