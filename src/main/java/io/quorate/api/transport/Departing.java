package io.quorate.api.transport;

import java.util.function.BooleanSupplier;

import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.event.EventListener;

/**
 * The flag that clients should go elsewhere, because this node is about to stop. Safe for
 * any number of threads.
 */
final class Departing implements BooleanSupplier {

	private volatile boolean departing;

	/**
	 * Comes with the beginning of a stop; a start publishes only that it accepts traffic.
	 */
	@EventListener
	void readinessChanged(AvailabilityChangeEvent<ReadinessState> event) {
		this.departing = event.getState() == ReadinessState.REFUSING_TRAFFIC;
	}

	@Override
	public boolean getAsBoolean() {
		return this.departing;
	}

}
