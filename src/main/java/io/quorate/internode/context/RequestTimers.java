package io.quorate.internode.context;

import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quorate.internode.InternodeMeters;
import io.quorate.internode.wire.Operation;
import io.quorate.internode.wire.Reply;
import io.quorate.meter.MeterByTag;
import io.quorate.replica.Failure.Reason;
import org.jspecify.annotations.Nullable;

/** The timers of requests of one kind to one peer, by their outcome. */
public final class RequestTimers {

	private final Timer success;

	private final Timer overloaded;

	private final Timer failed;

	/* Writes alone may be superseded; neither they nor prepares are ever given up. */
	private final @Nullable Timer superseded;

	private final @Nullable Timer cancelled;

	RequestTimers(MeterRegistry registry, String peer, Operation operation) {
		String word = MeterByTag.word(operation);
		boolean write = operation == Operation.APPLY;
		this.success = InternodeMeters.REQUEST.timer(registry, peer, word, "success");
		this.overloaded = InternodeMeters.REQUEST.timer(registry, peer, word, "overloaded");
		this.failed = InternodeMeters.REQUEST.timer(registry, peer, word, "failed");
		this.superseded = write ? InternodeMeters.REQUEST.timer(registry, peer, word, "superseded") : null;
		this.cancelled = (write || operation == Operation.PREPARE) ? null
				: InternodeMeters.REQUEST.timer(registry, peer, word, "cancelled");
	}

	/** A request has its outcome. */
	public void ended(Reply reply, long nanos) {
		timer(reply).record(nanos, TimeUnit.NANOSECONDS);
	}

	/** A request was given up after this time, without an answer of the peer. */
	public void cancelled(long nanos) {
		if (this.cancelled != null) {
			this.cancelled.record(nanos, TimeUnit.NANOSECONDS);
		}
	}

	private Timer timer(Reply reply) {
		return switch (reply) {
			case Reply.Applied _, Reply.Found _, Reply.Summarized _, Reply.Absent _, Reply.Page _, Reply.Comparison _,
					Reply.Changed _, Reply.Register _ ->
				this.success;
			case Reply.Superseded _, Reply.Promised _ -> (this.superseded != null) ? this.superseded : this.failed;
			case Reply.Failed(var failure) -> (failure.reason() == Reason.OVERLOADED) ? this.overloaded : this.failed;
			case Reply.TooLarge _, Reply.Welcome _, Reply.Refused _, Reply.Occupied _, Reply.Pong _, Reply.Layout _,
					Reply.Join _, Reply.Silence _, Reply.Introduced _ ->
				this.failed;
		};
	}

}
