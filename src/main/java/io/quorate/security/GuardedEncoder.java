package io.quorate.security;

import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.EncoderBase;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.LoggingFailureAnalysisReporter;

/**
 * An encoder of log lines whose texts may be those of strangers, whatever the code that
 * logs them thinks: a message stays on its line, has a longest length and no secret, and
 * so has that of each exception. A warning or error beyond a {@link WarningLimit} makes
 * no bytes. Safe for any number of threads.
 */
final class GuardedEncoder extends EncoderBase<ILoggingEvent> {

	/* More than a list of members, and less than a message of a peer. */
	static final int MAX_LENGTH = 8192;

	private static final byte[] NOTHING = {};

	/* It has many lines, of which none is of a stranger: the node is not up yet. */
	private static final String REPORT_OF_A_START = LoggingFailureAnalysisReporter.class.getName();

	private final Encoder<ILoggingEvent> encoder;

	/* Other formats, such as JSON, escape by themselves. */
	private final boolean isText;

	private final WarningLimit limit;

	GuardedEncoder(Encoder<ILoggingEvent> encoder, WarningLimit limit) {
		this.encoder = encoder;
		this.isText = encoder instanceof LayoutWrappingEncoder;
		this.limit = limit;
		start();
	}

	@Override
	public byte[] encode(ILoggingEvent event) {
		String leftOut = this.limit.admit(event);
		if (leftOut == null) {
			return NOTHING;
		}
		String said = Secrets.hidden(event.getFormattedMessage() + leftOut);
		IThrowableProxy thrown = event.getThrowableProxy();
		if (!this.isText || event.getLoggerName().equals(REPORT_OF_A_START)) {
			boolean isSame = said.equals(event.getFormattedMessage());
			return hidden(this.encoder.encode(isSame ? event : new Said(event, said, thrown)));
		}
		String line = Printable.line(said, MAX_LENGTH);
		if (thrown == null && line.equals(event.getFormattedMessage())) {
			return this.encoder.encode(event);
		}
		return this.encoder.encode(new Said(event, line, Thrown.of(thrown)));
	}

	/*
	 * Encoders of Spring Boot take no exception but one of Logback's own. A secret is of
	 * ASCII, which no format escapes.
	 */
	private static byte[] hidden(byte[] encoded) {
		String line = new String(encoded, StandardCharsets.ISO_8859_1);
		return Secrets.hidden(line).getBytes(StandardCharsets.ISO_8859_1);
	}

	@Override
	public byte @Nullable [] headerBytes() {
		return this.encoder.headerBytes();
	}

	@Override
	public byte @Nullable [] footerBytes() {
		return this.encoder.footerBytes();
	}

	@Override
	public void stop() {
		super.stop();
		this.encoder.stop();
	}

	/** An event with another text. */
	private static final class Said extends LoggingEvent {

		private final ILoggingEvent event;

		private final @Nullable IThrowableProxy thrown;

		private Said(ILoggingEvent event, String line, @Nullable IThrowableProxy thrown) {
			this.event = event;
			this.thrown = thrown;
			setLoggerContextRemoteView(event.getLoggerContextVO());
			setLoggerName(event.getLoggerName());
			setLevel(event.getLevel());
			setThreadName(event.getThreadName());
			setInstant(event.getInstant());
			setSequenceNumber(event.getSequenceNumber());
			setMDCPropertyMap(event.getMDCPropertyMap());
			setKeyValuePairs(event.getKeyValuePairs());
			setMessage(line);
		}

		@Override
		public @Nullable IThrowableProxy getThrowableProxy() {
			return this.thrown;
		}

		@Override
		public StackTraceElement[] getCallerData() {
			return this.event.getCallerData();
		}

		@Override
		public boolean hasCallerData() {
			return this.event.hasCallerData();
		}

	}

	/** An exception whose message, and those of its causes, stay on their lines. */
	private record Thrown(IThrowableProxy thrown) implements IThrowableProxy {

		private static @Nullable IThrowableProxy of(@Nullable IThrowableProxy thrown) {
			return (thrown != null) ? new Thrown(thrown) : null;
		}

		private static @Nullable String line(@Nullable String text) {
			return (text != null) ? Printable.line(Secrets.hidden(text), MAX_LENGTH) : null;
		}

		@Override
		public @Nullable String getMessage() {
			return line(this.thrown.getMessage());
		}

		@Override
		public @Nullable String getOverridingMessage() {
			return line(this.thrown.getOverridingMessage());
		}

		@Override
		public String getClassName() {
			return this.thrown.getClassName();
		}

		@Override
		public StackTraceElementProxy[] getStackTraceElementProxyArray() {
			return this.thrown.getStackTraceElementProxyArray();
		}

		@Override
		public int getCommonFrames() {
			return this.thrown.getCommonFrames();
		}

		@Override
		public @Nullable IThrowableProxy getCause() {
			return of(this.thrown.getCause());
		}

		@Override
		public IThrowableProxy[] getSuppressed() {
			return Stream.of(this.thrown.getSuppressed()).map(Thrown::new).toArray(IThrowableProxy[]::new);
		}

		@Override
		public boolean isCyclic() {
			return this.thrown.isCyclic();
		}

	}

}
