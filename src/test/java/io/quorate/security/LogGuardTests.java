package io.quorate.security;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.diagnostics.LoggingFailureAnalysisReporter;
import org.springframework.boot.logging.logback.StructuredLogEncoder;
import org.springframework.core.env.Environment;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

class LogGuardTests {

	/* As a stranger would have it: a line that looks like one of the node. */
	private static final String FORGED = "x\n2026-11-29T17:00:00.000Z  INFO io.quorate.audit : event=command\r\u001b[2K\u2028";

	private static final String ESCAPED = "x\\u000a2026-11-29T17:00:00.000Z  INFO io.quorate.audit : event=command\\u000d\\u001b[2K\\u2028";

	private final AtomicLong nanos = new AtomicLong();

	private final LoggerContext context = new LoggerContext();

	private final Logger log = this.context.getLogger("io.quorate.internode.Any");

	private final ByteArrayOutputStream written = new ByteArrayOutputStream();

	@BeforeEach
	void prepare() {
		this.context.setMDCAdapter(new LogbackMDCAdapter());
	}

	@AfterEach
	void stop() {
		this.context.stop();
	}

	@Test
	void noTextOfAMessageMakesALineOfItsOwn() {
		guardText();
		this.log.info("A node says {}", FORGED);
		this.log.warn("A node says " + FORGED);
		this.log.debug("A node says {}", (Object) null);
		this.log.atError().addArgument(FORGED).log("A node says {}");
		assertThat(lines()).containsExactly("INFO A node says " + ESCAPED, "WARN A node says " + ESCAPED,
				"DEBUG A node says null", "ERROR A node says " + ESCAPED);
	}

	@Test
	void noTextOfAnExceptionMakesALineOfItsOwn() {
		guardText();
		IllegalStateException thrown = new IllegalStateException(FORGED, new IOException(FORGED));
		thrown.addSuppressed(new IOException(FORGED));
		this.log.error("A request has failed", thrown);
		assertThat(lines()).filteredOn((line) -> !line.startsWith("\t"))
			.containsExactly("ERROR A request has failed", "java.lang.IllegalStateException: " + ESCAPED,
					"Caused by: java.io.IOException: " + ESCAPED);
		assertThat(lines()).contains("\tSuppressed: java.io.IOException: " + ESCAPED)
			.anyMatch((line) -> line.contains("noTextOfAnExceptionMakesALineOfItsOwn(LogGuardTests.java"));
	}

	@Test
	void aMessageHasALongestLength() {
		guardText();
		this.log.info("A node says {}", "y".repeat(60_000));
		this.log.error("A request has failed", new IOException("y".repeat(60_000)));
		assertThat(lines()).hasSizeGreaterThan(2)
			.allMatch((line) -> line.length() < GuardedEncoder.MAX_LENGTH + 100, "is short enough");
	}

	@ParameterizedTest
	@ValueSource(strings = { "text", "logback", "ecs", "gelf", "logstash", "ecs with printer" })
	void noTokenIsWritten(String format) {
		guard(switch (format) {
			case "text" -> text();
			case "logback" -> new JsonEncoder();
			default -> structured(format);
		});
		String secret = "0ldMO-_".repeat(7).substring(0, 43);
		String jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln_-bmF0dXJl";
		IOException thrown = new IOException("no file\n" + jwt, new IOException("no file qk_cause_" + secret));
		this.log.error("{} cannot be read", "qk_pay_" + secret, thrown);
		this.context.getLogger(LoggingFailureAnalysisReporter.class)
			.error("Value: qk_pay-2_{}\n", secret, new IOException("no file qk_start_" + secret));
		assertThat(lines()).isNotEmpty().noneMatch((line) -> line.contains(secret.substring(0, 8)));
		assertThat(lines()).noneMatch((line) -> line.contains(jwt.substring(0, 8)));
		assertThat(this.written.toString(StandardCharsets.UTF_8)).contains("qk_pay_*** cannot be read",
				"no file qk_cause_***", "Value: qk_pay-2_***", "no file qk_start_***", "eyJ***");
	}

	@Test
	void theReportOfAStartKeepsItsLines() {
		guardText();
		this.context.getLogger(LoggingFailureAnalysisReporter.class).error("The node could not start\n\nAction:");
		assertThat(lines()).containsExactly("ERROR The node could not start", "", "Action:");
	}

	@Test
	void aFormatThatEscapesByItselfGetsTheTextAsItIs() {
		guard(new JsonEncoder());
		this.log.info("A node says \u00e4\n");
		assertThat(lines()).singleElement().asString().contains("A node says \u00e4\\n").doesNotContain("\\\\");
	}

	@Test
	void aWarningThatRepeatsIsOneLineAMinuteWithACount() {
		guardText();
		for (int i = 0; i < 250; i++) {
			this.log.warn("The free space of {} cannot be read", "data", new IOException("no descriptor"));
			pass(Duration.ofMillis(250));
		}
		assertThat(lines()).filteredOn((line) -> line.contains("WARN"))
			.containsExactly("WARN The free space of data cannot be read",
					"WARN The free space of data cannot be read (239 times more since it was said last)");
		assertThat(lines()).filteredOn((line) -> line.startsWith("java.io.IOException")).hasSize(2);
	}

	@Test
	void anotherFailureOfTheSameTaskIsSaidAtOnce() {
		guardText();
		this.log.error("The file cannot be read", new IOException("no descriptor"));
		this.log.error("The file cannot be read", new IOException("no such file"));
		this.context.getLogger("io.quorate.Other").error("The file cannot be read", new IOException("no descriptor"));
		assertThat(lines()).filteredOn((line) -> line.startsWith("ERROR")).hasSize(3);
	}

	@Test
	void theSameWarningIsNewsWhenSomethingElseWasSaidInBetween() {
		guardText();
		this.log.error("The file cannot be used");
		this.log.info("The file is in use");
		this.log.error("The file cannot be used");
		this.log.debug("Looked at the file");
		this.log.error("The file cannot be used");
		assertThat(lines()).containsExactly("ERROR The file cannot be used", "INFO The file is in use",
				"ERROR The file cannot be used", "DEBUG Looked at the file");
	}

	@Test
	void warningsInOtherWordsEachTimeFillNoLog() {
		guardText();
		for (int port = 0; port < 3 * WarningLimit.MOST; port++) {
			this.log.warn("The connection with 127.0.0.1:{} is closed", port);
		}
		assertThat(lines()).hasSize(WarningLimit.MOST);
		pass(Duration.ofMinutes(1));
		this.log.warn("The connection with 127.0.0.1:{} is closed", 65535);
		assertThat(lines()).last()
			.isEqualTo("WARN The connection with 127.0.0.1:65535 is closed (%d other lines were left out before)"
				.formatted(2 * WarningLimit.MOST));
	}

	@Test
	void everyLossThatTheStorageNamesIsSaid() {
		guardText();
		Logger storage = this.context.getLogger("io.quorate.storage.engine.Any");
		for (int loss = 0; loss < 3 * WarningLimit.MOST; loss++) {
			storage.warn("Lost: {}", loss);
		}
		assertThat(lines()).hasSize(3 * WarningLimit.MOST);
	}

	@Test
	void linesOfNoWarningAreAllSaid() {
		guardText();
		for (int i = 0; i < 3 * WarningLimit.MOST; i++) {
			this.log.info("event=command");
		}
		assertThat(lines()).hasSize(3 * WarningLimit.MOST);
	}

	@Test
	void aGuardedLogIsNotGuardedTwice() {
		guardText();
		LogGuard.guard(this.context, this.nanos::get);
		this.log.warn("{}", "a\n");
		assertThat(lines()).containsExactly("WARN a\\u000a");
	}

	private void guardText() {
		guard(text());
	}

	private static Encoder<ILoggingEvent> text() {
		PatternLayoutEncoder text = new PatternLayoutEncoder();
		text.setPattern("%level %m%n%ex");
		return text;
	}

	private Encoder<ILoggingEvent> structured(String format) {
		MockEnvironment environment = new MockEnvironment();
		if (format.endsWith(" with printer")) {
			environment.setProperty("logging.structured.json.stacktrace.root", "first");
		}
		this.context.putObject(Environment.class.getName(), environment);
		StructuredLogEncoder encoder = new StructuredLogEncoder();
		encoder.setFormat(format.split(" ", 2)[0]);
		return encoder;
	}

	private void guard(Encoder<ILoggingEvent> encoder) {
		encoder.setContext(this.context);
		encoder.start();
		OutputStreamAppender<ILoggingEvent> appender = new OutputStreamAppender<>();
		appender.setContext(this.context);
		appender.setEncoder(encoder);
		appender.setOutputStream(this.written);
		appender.start();
		this.context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
		LogGuard.guard(this.context, this.nanos::get);
	}

	private void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

	private List<String> lines() {
		return List.of(this.written.toString(StandardCharsets.UTF_8).stripTrailing().split("\n", -1));
	}

}
