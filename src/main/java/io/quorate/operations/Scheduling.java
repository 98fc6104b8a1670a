package io.quorate.operations;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the kernel schedules this process ({@code sched(7)}).
 * <p>
 * A request wakes a thread a dozen times, on three nodes. A thread that may interrupt
 * whoever runs finds one thing to do, each time; one that waits for its turn finds
 * several, and shares wake-ups, sends and forces among them.
 */
public enum Scheduling {

	/**
	 * A thread that wakes lets those that run finish their turn, of some milliseconds.
	 */
	BATCH {
		@Override
		void begin() {
			SCHEDULER.ifPresentOrElse(Scheduling::askForBatch,
					() -> log.debug("Scheduled as everybody else: no Linux"));
		}
	},

	/** As whoever starts the process has it. */
	INHERITED {
		@Override
		void begin() {
		}
	};

	private static final Logger log = LoggerFactory.getLogger(Scheduling.class);

	/** The property that says which. */
	public static final String PROPERTY = "quorate.operations.scheduling";

	private static final int SCHED_BATCH = 3;

	private static final int THIS_THREAD = 0;

	private static final Optional<MethodHandle> SCHEDULER = scheduler();

	/**
	 * From now on holds for this thread, and for all that it and those make. Where the
	 * kernel knows nothing of it, nothing changes.
	 */
	abstract void begin();

	private static void askForBatch(MethodHandle scheduler) {
		try (Arena arena = Arena.ofConfined()) {
			MemorySegment noPriority = arena.allocate(ValueLayout.JAVA_INT);
			if ((int) scheduler.invokeExact(THIS_THREAD, SCHED_BATCH, noPriority) != 0) {
				log.info("The kernel does not let this process be scheduled as batch");
			}
		}
		catch (RuntimeException | Error broken) {
			throw broken;
		}
		catch (Throwable impossible) {
			throw new IllegalStateException("a call of the C library has thrown", impossible);
		}
	}

	@SuppressWarnings("restricted") // allowed by --enable-native-access, a warning
									// elsewhere
	private static Optional<MethodHandle> scheduler() {
		if (!"Linux".equals(System.getProperty("os.name"))) {
			return Optional.empty();
		}
		Linker linker = Linker.nativeLinker();
		return linker.defaultLookup()
			.find("sched_setscheduler")
			.map((function) -> linker.downcallHandle(function, FunctionDescriptor.of(ValueLayout.JAVA_INT,
					ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS)));
	}

}
