package io.quorate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The cost of each test class, in wall time and in processor time of this JVM and of all
 * processes that it has started. One small file a class, in the directory that the build
 * names with {@code test.costs}; {@code tools/TestCosts.java} adds them up.
 * <p>
 * The processor time is that of the kernel's {@code /proc}: with what the collector and
 * the compilers of the JVM took meanwhile, and nodes that a class shares with others
 * while it ran. Registered for every test by the service file.
 */
public final class TestCosts implements BeforeAllCallback, AfterAllCallback {

	private static final String DIRECTORY = System.getProperty("test.costs", "");

	/* Of user, of system, and both of children that have ended, behind the name. */
	private static final int USER = 11;

	/* What the kernel tells all processes, whatever its own clock is. */
	private static final long MILLIS_A_TICK = 10;

	private long began;

	private long processorBefore;

	@Override
	public void beforeAll(ExtensionContext context) throws IOException {
		if (isMeasured(context)) {
			this.began = System.nanoTime();
			this.processorBefore = processorMillis();
		}
	}

	@Override
	public void afterAll(ExtensionContext context) throws IOException {
		if (isMeasured(context)) {
			long wall = (System.nanoTime() - this.began) / 1_000_000;
			Path costs = Files.createDirectories(Path.of(DIRECTORY));
			Files.writeString(costs.resolve(context.getRequiredTestClass().getName()),
					wall + " " + (processorMillis() - this.processorBefore) + "\n");
		}
	}

	/* A nested class is part of the cost of the one around it. */
	private static boolean isMeasured(ExtensionContext context) {
		return !DIRECTORY.isEmpty() && context.getRequiredTestClass().getEnclosingClass() == null;
	}

	/* A child that has ended is in the time of its parent, who waited for it. */
	private static long processorMillis() {
		ProcessHandle self = ProcessHandle.current();
		return Stream.concat(Stream.of(self), self.descendants())
			.flatMap((process) -> stat(process.pid()).stream())
			.mapToLong(TestCosts::ticks)
			.sum() * MILLIS_A_TICK;
	}

	private static long ticks(String stat) {
		String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
		return LongStream.range(USER, USER + 4).map((field) -> Long.parseLong(fields[(int) field])).sum();
	}

	private static Optional<String> stat(long pid) {
		try {
			return Optional.of(Files.readString(Path.of("/proc", Long.toString(pid), "stat")));
		}
		catch (IOException gone) {
			if (pid == ProcessHandle.current().pid()) {
				throw new UncheckedIOException(gone);
			}
			return Optional.empty();
		}
	}

}
