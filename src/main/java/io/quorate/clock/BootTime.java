package io.quorate.clock;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * The monotonic clock of the machine that goes on while the machine is suspended
 * ({@code CLOCK_BOOTTIME} of Linux): {@link System#nanoTime()} stands still then. Where
 * there is no such clock it is {@link System#nanoTime()}. Only differences of two
 * readings mean something. Safe for any number of threads.
 */
public final class BootTime {

	private static final int CLOCK_BOOTTIME = 7;

	/* A struct timespec: seconds and nanoseconds, of the C type long. */
	private static final MemoryLayout TIMESPEC = MemoryLayout.structLayout(ValueLayout.JAVA_LONG,
			ValueLayout.JAVA_LONG);

	private static final ThreadLocal<MemorySegment> ANSWER = ThreadLocal
		.withInitial(() -> Arena.ofAuto().allocate(TIMESPEC));

	private static final @Nullable MethodHandle CLOCK_GETTIME = clockGettime();

	private BootTime() {
	}

	/** The present in nanoseconds since some instant that stays the same. */
	public static long nanos() {
		MethodHandle clock = CLOCK_GETTIME;
		if (clock == null) {
			return System.nanoTime();
		}
		MemorySegment answer = ANSWER.get();
		if (!isRead(clock, answer)) {
			throw new IllegalStateException("the clock of the machine could be read before, and not now");
		}
		return TimeUnit.SECONDS.toNanos(answer.get(ValueLayout.JAVA_LONG, 0))
				+ answer.get(ValueLayout.JAVA_LONG, Long.BYTES);
	}

	private static boolean isRead(MethodHandle clock, MemorySegment answer) {
		try {
			return (int) clock.invokeExact(CLOCK_BOOTTIME, answer) == 0;
		}
		catch (RuntimeException | Error fault) {
			throw fault;
		}
		catch (Throwable impossible) {
			throw new IllegalStateException("a call of the C library has thrown", impossible);
		}
	}

	@SuppressWarnings("restricted") // allowed by --enable-native-access, a warning
									// elsewhere
	private static @Nullable MethodHandle clockGettime() {
		boolean isLinux = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("linux");
		if (!isLinux || ValueLayout.ADDRESS.byteSize() != Long.BYTES) {
			return null;
		}
		Linker linker = Linker.nativeLinker();
		return linker.defaultLookup()
			.find("clock_gettime")
			.map((function) -> linker.downcallHandle(function,
					FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS)))
			.filter((clock) -> isRead(clock, ANSWER.get()))
			.orElse(null);
	}

}
