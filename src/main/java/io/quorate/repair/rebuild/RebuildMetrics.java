package io.quorate.repair.rebuild;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.quorate.membership.members.Membership;
import io.quorate.repair.meter.RepairMeters;

/** The gauges of a rebuild: whether this node is rebuilt, and the entries copied. */
record RebuildMetrics(Membership membership, Rebuild rebuild) implements MeterBinder {

	@Override
	public void bindTo(MeterRegistry registry) {
		RepairMeters.REBUILDING.gauge(registry, this.membership, (its) -> its.isRebuilding() ? 1 : 0);
		RepairMeters.REBUILD_COPIED.gauge(registry, this.rebuild, Rebuild::copied);
	}

}
