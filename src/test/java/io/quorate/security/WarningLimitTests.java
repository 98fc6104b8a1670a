package io.quorate.security;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.LoggingEvent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WarningLimitTests {

	private final AtomicLong nanos = new AtomicLong();

	private final WarningLimit limit = new WarningLimit(this.nanos::get);

	@Test
	void repeatedLinesAreCountedWhenSomethingElseWasSaidInBetween() {
		assertThat(admit(Level.WARN, "The file cannot be used")).isEmpty();
		assertThat(admit(Level.WARN, "The file cannot be used")).isNull();
		assertThat(admit(Level.WARN, "The file cannot be used")).isNull();
		assertThat(admit(Level.INFO, "The file is in use")).isEmpty();
		assertThat(admit(Level.WARN, "The file cannot be used")).isEqualTo(" (2 other lines were left out before)");
		assertThat(admit(Level.WARN, "Another file cannot be used")).isEmpty();
	}

	@Test
	void repeatedLinesAreCountedWhenTheirTextIsForgotten() {
		assertThat(admit(Level.WARN, "first")).isEmpty();
		assertThat(admit(Level.WARN, "first")).isNull();
		for (int i = 1; i < WarningLimit.MOST; i++) {
			assertThat(admit(Level.WARN, "other " + i)).isEmpty();
		}
		pass(Duration.ofMinutes(1));
		for (int i = WarningLimit.MOST; i < WarningLimit.MAX_REMEMBERED; i++) {
			assertThat(admit(Level.WARN, "other " + i)).isEmpty();
		}
		assertThat(admit(Level.WARN, "one more than are remembered"))
			.isEqualTo(" (1 other lines were left out before)");
	}

	@Test
	void linesThatDifferBehindWhatIsWrittenAreTheSame() {
		String written = "y".repeat(GuardedEncoder.MAX_LENGTH);
		assertThat(admit(Level.WARN, written + "1")).isEmpty();
		assertThat(admit(Level.WARN, written + "2")).isNull();
	}

	@Test
	void aLineThatChangesNothingWaitsForNoOther() {
		synchronized (this.limit) {
			assertThat(CompletableFuture.supplyAsync(() -> admit(Level.DEBUG, "Looked at the file")))
				.succeedsWithin(Duration.ofMinutes(1))
				.isEqualTo("");
		}
	}

	private void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

	private @Nullable String admit(Level level, String message) {
		LoggingEvent event = new LoggingEvent();
		event.setLoggerName("io.quorate.Any");
		event.setLevel(level);
		event.setMessage(message);
		return this.limit.admit(event);
	}

}
