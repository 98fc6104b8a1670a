package io.quorate.security;

import java.util.Iterator;
import java.util.function.LongSupplier;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.AppenderAttachable;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;

/**
 * The guard of the log of this process: stands between all loggers, those of libraries,
 * too, and what is written. No text makes a line of its own, and no repeated warning
 * fills the log ({@link GuardedEncoder}). Comes when the settings of the log are read,
 * before anything is logged.
 */
public final class LogGuard implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {

	@Override
	public int getOrder() {
		return LoggingApplicationListener.DEFAULT_ORDER + 1;
	}

	@Override
	public void onApplicationEvent(ApplicationEnvironmentPreparedEvent prepared) {
		if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
			guard(context, System::nanoTime);
		}
	}

	/**
	 * Guards all appenders of a context.
	 * @param nanos the monotonic clock
	 */
	static void guard(LoggerContext context, LongSupplier nanos) {
		context.getLoggerList().forEach((logger) -> guard(logger.iteratorForAppenders(), nanos));
	}

	private static void guard(Iterator<Appender<ILoggingEvent>> appenders, LongSupplier nanos) {
		appenders.forEachRemaining((appender) -> {
			if (appender instanceof OutputStreamAppender<ILoggingEvent> written) {
				Encoder<ILoggingEvent> encoder = written.getEncoder();
				if (!(encoder instanceof GuardedEncoder)) {
					written.setEncoder(new GuardedEncoder(encoder, new WarningLimit(nanos)));
				}
			}
			else if (appender instanceof AppenderAttachable<?> several) {
				@SuppressWarnings("unchecked")
				AppenderAttachable<ILoggingEvent> attached = (AppenderAttachable<ILoggingEvent>) several;
				guard(attached.iteratorForAppenders(), nanos);
			}
		});
	}

}
