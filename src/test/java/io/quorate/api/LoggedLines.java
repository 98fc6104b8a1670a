package io.quorate.api;

import java.util.List;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.slf4j.LoggerFactory;

/** The lines that are logged under a name, until closed. */
public final class LoggedLines implements AutoCloseable {

	private final Logger logger;

	private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

	public LoggedLines(String name) {
		this.logger = (Logger) LoggerFactory.getLogger(name);
		this.appender.start();
		this.logger.addAppender(this.appender);
	}

	/** Level and text of each line. */
	public List<String> lines() {
		return List.copyOf(this.appender.list)
			.stream()
			.map((event) -> event.getLevel() + " " + event.getFormattedMessage())
			.toList();
	}

	@Override
	public void close() {
		this.logger.detachAppender(this.appender);
	}

}
