package io.quorate.membership;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.quorate.consensus.Proposer;

/**
 * An attempt to have a layout decided. Used by one thread at a time.
 *
 * @param members members to which its messages go
 * @param missing those that have not answered the last message, with their reasons
 * @param untilNanos instant at which it is given up
 */
record LayoutAttempt(Proposer proposer, List<String> members, Map<String, String> missing, LayoutPeers peers,
		long untilNanos) {

	/** Time after which an attempt is given up. */
	static final Duration LIMIT = Duration.ofSeconds(3);

	/** Time since the first message, at an instant. */
	Duration age(long nanos) {
		return LIMIT.minusNanos(this.untilNanos - nanos);
	}

	/** Notes that a message has been sent to all members. */
	void sent() {
		this.members.forEach((member) -> this.missing.put(member, ""));
	}

	void answered(String member) {
		this.missing.remove(member);
	}

	void refused(String member, String why) {
		this.missing.replace(member, why);
	}

	/** The members whose answers are missing, with their reasons. */
	String missed() {
		return "%d of %d members have not answered within %d s: %s".formatted(this.missing.size(), this.members.size(),
				LIMIT.toSeconds(),
				this.missing.entrySet()
					.stream()
					.map((each) -> each.getValue().isEmpty() ? each.getKey()
							: "%s (%s)".formatted(each.getKey(), each.getValue()))
					.collect(Collectors.joining(", ")));
	}

}
