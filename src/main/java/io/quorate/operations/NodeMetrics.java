package io.quorate.operations;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.quorate.membership.reports.NodeVersion;
import org.springframework.boot.health.actuate.endpoint.HealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.contributor.Status;

/**
 * The state of the node in meters. Asks the same groups of health as the probes do, on
 * the thread that reads the meters.
 */
record NodeMetrics(HealthEndpoint health, NodeVersion version, StartTime start) implements MeterBinder {

	@Override
	public void bindTo(MeterRegistry registry) {
		OperationsMeters.READY.gauge(registry, this, (its) -> its.isUp("readiness"));
		OperationsMeters.LIVE.gauge(registry, this, (its) -> its.isUp("liveness"));
		OperationsMeters.INFO.gauge(registry, this, (_) -> 1, this.version.version());
		OperationsMeters.START.gauge(registry, this.start, StartTime::seconds);
	}

	private int isUp(String group) {
		HealthDescriptor answer = this.health.healthForPath(group);
		return (answer != null && answer.getStatus().equals(Status.UP)) ? 1 : 0;
	}

}
