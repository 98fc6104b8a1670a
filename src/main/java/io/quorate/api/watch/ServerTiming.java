package io.quorate.api.watch;

import io.quorate.coordinator.RequestTimeline.Hop;
import io.quorate.coordinator.RequestTimeline.Stage;
import io.quorate.coordinator.RequestTimeline;

/**
 * A timeline in words: the value of the header field {@code Server-Timing} of the W3C.
 * Ids of nodes are tokens as they are.
 */
final class ServerTiming {

	static final String HEADER = "Server-Timing";

	private final StringBuilder text = new StringBuilder(160);

	private ServerTiming() {
	}

	/** Returns the words for a timeline that is closed. */
	static String of(RequestTimeline timeline) {
		ServerTiming timing = new ServerTiming();
		timing.metric("total", timeline.totalNanos());
		if (timeline.isCoordinated()) {
			timing.metric("coord", timeline.coordinatorNanos());
		}
		for (Stage stage : Stage.ALL) {
			if (timeline.nanos(stage) >= 0) {
				timing.metric(stage.word(), timeline.nanos(stage));
			}
		}
		timeline.hops().forEach(timing::hop);
		if (timeline.hopsLeftOut() > 0) {
			timing.text.append(", more;desc=\"").append(timeline.hopsLeftOut()).append('"');
		}
		return timing.text.toString();
	}

	private void metric(String name, long nanos) {
		if (!this.text.isEmpty()) {
			this.text.append(", ");
		}
		this.text.append(name).append(";dur=");
		appendMillis(nanos);
	}

	private void hop(Hop hop) {
		if (hop.isAnswered()) {
			metric(hop.node(), hop.nanos());
		}
		else {
			this.text.append(", ").append(hop.node());
		}
		this.text.append(";desc=\"").append(switch (hop.work()) {
			case WRITE, READ, PAGE -> "";
			case HAND_OVER -> "meeting ";
			case PREPARE -> "prepare ";
			case HEDGE -> "hedge ";
			case FETCH -> "fetch ";
			case REPAIR -> "repair ";
		}).append(hop.outcome()).append('"');
	}

	/* String.format would cost more than all the rest. */
	private void appendMillis(long nanos) {
		long micros = (nanos + 500) / 1_000;
		this.text.append(micros / 1_000);
		int rest = (int) (micros % 1_000);
		if (rest > 0) {
			this.text.append('.');
			for (int unit = 100; rest > 0; unit /= 10) {
				this.text.append((char) ('0' + rest / unit));
				rest %= unit;
			}
		}
	}

}
