package io.quorate.operations;

import java.time.Instant;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.quorate.storage.Scrub;
import io.quorate.storage.ScrubProgress;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.stereotype.Component;

/**
 * The endpoint {@code /actuator/scrub}: the read of everything that this node has on its
 * disk. {@code GET} reports its progress; {@code POST} begins it now and does not wait
 * for it: 202, or 409 when it is under way.
 */
@Component
@WebEndpoint(id = "scrub")
final class ScrubEndpoint {

	private static final int CONFLICT = 409;

	private static final int ACCEPTED = 202;

	private final Scrub scrub;

	ScrubEndpoint(Scrub scrub) {
		this.scrub = scrub;
	}

	/** Reports the progress of the scrub. */
	@ReadOperation
	Pass progress() {
		return Pass.of(this.scrub.progress());
	}

	/** Begins a scrub now. */
	@WriteOperation
	WebEndpointResponse<Map<String, String>> begin() {
		return this.scrub.begin()
				? new WebEndpointResponse<>(Map.of("result", "begun: GET reports its progress"), ACCEPTED)
				: new WebEndpointResponse<>(Map.of("result", "under way: GET reports its progress"), CONFLICT);
	}

	/** A pass, as {@link ScrubProgress} reports it. */
	record Pass(String state, @JsonUnwrapped Times times, @JsonUnwrapped ScrubProgress.Reach reach, long damages,
			int unread) {

		private static Pass of(ScrubProgress its) {
			return new Pass(its.running() ? "running" : "waiting", Times.of(its.times()), its.reach(), its.damages(),
					its.unread());
		}

	}

	/** The instants of a pass. */
	record Times(@Nullable Instant began, @Nullable Instant completed, @Nullable Instant next) {

		private static Times of(ScrubProgress.Times its) {
			return new Times(instant(its.beganMillis()), instant(its.completedMillis()), instant(its.nextMillis()));
		}

		private static @Nullable Instant instant(long millis) {
			return (millis != 0) ? Instant.ofEpochMilli(millis) : null;
		}

	}

}
