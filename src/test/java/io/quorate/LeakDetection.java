package io.quorate;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fails a test class in which Netty finds a buffer that nobody released. Netty finds one
 * when the garbage collector does and another buffer is made, so both are provoked at the
 * end. Needs {@code io.netty.leakDetection.level=paranoid}, which it checks.
 */
public final class LeakDetection implements BeforeAllCallback, AfterAllCallback {

	private static final int COLLECTIONS = 5;

	private final List<String> leaks = new CopyOnWriteArrayList<>();

	private final LeakAppender appender = new LeakAppender();

	@Override
	public void beforeAll(ExtensionContext context) {
		assertThat(ResourceLeakDetector.getLevel()).as("io.netty.leakDetection.level")
			.isEqualTo(ResourceLeakDetector.Level.PARANOID);
		this.appender.start();
		root().addAppender(this.appender);
	}

	@Override
	public void afterAll(ExtensionContext context) {
		for (int i = 0; i < COLLECTIONS; i++) {
			collect();
		}
		root().detachAppender(this.appender);
		assertThat(this.leaks).as("buffers that nobody released").isEmpty();
	}

	private static void collect() {
		System.gc();
		for (int i = 0; i < 100; i++) {
			ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(16);
			buffer.release();
		}
	}

	private static Logger root() {
		return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
	}

	private final class LeakAppender extends AppenderBase<ILoggingEvent> {

		@Override
		protected void append(ILoggingEvent event) {
			if (event.getFormattedMessage().contains("LEAK:")) {
				LeakDetection.this.leaks.add(event.getFormattedMessage());
			}
		}

	}

}
