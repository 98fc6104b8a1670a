package io.quorate.replica;

import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quorate.replica.Failure.Reason;

/** The timers of the local replica's requests, by operation and outcome. */
final class ReplyTimers {

	private final Outcomes apply;

	private final Timer superseded;

	private final Outcomes read;

	private final Outcomes page;

	ReplyTimers(MeterRegistry registry) {
		this.apply = new Outcomes(registry, "apply");
		this.superseded = ReplicaMeters.LOCAL.timer(registry, "apply", "superseded");
		this.read = new Outcomes(registry, "read");
		this.page = new Outcomes(registry, "page");
	}

	/**
	 * Records a reply to a request that began at {@code begun}, by
	 * {@link System#nanoTime}.
	 */
	void record(WriteReply reply, long begun) {
		record(switch (reply) {
			case WriteReply.Applied _ -> this.apply.success;
			case WriteReply.Superseded _ -> this.superseded;
			case WriteReply.Failed(var failure) -> this.apply.of(failure);
		}, begun);
	}

	void record(ReadReply reply, long begun) {
		record(switch (reply) {
			case ReadReply.Found _, ReadReply.Summarized _, ReadReply.Absent _ -> this.read.success;
			case ReadReply.Failed(var failure) -> this.read.of(failure);
		}, begun);
	}

	void record(PageReply reply, long begun) {
		record(switch (reply) {
			case PageReply.Page _, PageReply.Headers _ -> this.page.success;
			case PageReply.Failed(var failure) -> this.page.of(failure);
		}, begun);
	}

	private static void record(Timer timer, long begun) {
		timer.record(System.nanoTime() - begun, TimeUnit.NANOSECONDS);
	}

	/** The outcomes that every operation has. */
	private static final class Outcomes {

		private final Timer success;

		private final Timer overloaded;

		private final Timer failed;

		private Outcomes(MeterRegistry registry, String operation) {
			this.success = ReplicaMeters.LOCAL.timer(registry, operation, "success");
			this.overloaded = ReplicaMeters.LOCAL.timer(registry, operation, "overloaded");
			this.failed = ReplicaMeters.LOCAL.timer(registry, operation, "failed");
		}

		private Timer of(Failure failure) {
			return (failure.reason() == Reason.OVERLOADED) ? this.overloaded : this.failed;
		}

	}

}
