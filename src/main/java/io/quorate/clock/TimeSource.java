package io.quorate.clock;

/** The physical clock of this machine, which may be wrong and may jump. */
@FunctionalInterface
public interface TimeSource {

	/** The system's wall clock. */
	TimeSource SYSTEM = System::currentTimeMillis;

	/** Milliseconds since the epoch. */
	long millis();

}
