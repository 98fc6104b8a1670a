package io.quorate.api.watch;

import java.time.Duration;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.api.request.ClientRequest;
import io.quorate.api.request.Operation;

/**
 * A request that is watched, without a trace, and never slow.
 *
 * @param request has just begun
 */
public record Watched(ClientRequest request, RequestMetrics metrics, SlowRequests slow) {

	public static Watched of(Operation operation, MeterRegistry meters) {
		RequestMetrics metrics = new RequestMetrics(meters);
		SlowRequests slow = new SlowRequests(Duration.ZERO, System::nanoTime);
		return new Watched(new RequestObserver(metrics, slow, Traces.NONE).begin(operation, null), metrics, slow);
	}

}
