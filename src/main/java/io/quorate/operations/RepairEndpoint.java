package io.quorate.operations;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.quorate.entry.Key;
import io.quorate.repair.antientropy.AntiEntropy;
import io.quorate.repair.antientropy.ComparisonProgress;
import io.quorate.repair.comparison.KeyRange;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.stereotype.Component;

/**
 * The endpoint {@code /actuator/repair}: the comparisons that this node leads.
 * {@code GET} reports their progress. {@code POST} begins one now, of everything or of a
 * range of keys, with all peers or with one, and does not wait for it: 202, or 400 when
 * the range or the peer is none, or 409 when nothing can be begun.
 */
@Component
@WebEndpoint(id = "repair")
final class RepairEndpoint {

	private static final int CONFLICT = 409;

	private static final int ACCEPTED = 202;

	private final AntiEntropy comparisons;

	RepairEndpoint(AntiEntropy comparisons) {
		this.comparisons = comparisons;
	}

	/**
	 * Reports the progress of the comparisons: first the periodic ones, then those
	 * requested.
	 */
	@ReadOperation
	Map<String, List<Comparison>> progress() {
		return Map.of("comparisons", this.comparisons.progress().stream().map(Comparison::of).toList());
	}

	/**
	 * Begins a comparison of everything with all peers, for a request without a body and
	 * a content type.
	 */
	@WriteOperation
	WebEndpointResponse<Map<String, String>> begin() {
		return begin(null, null, null);
	}

	/**
	 * Begins a comparison, after which the stores hold the same, but for what was written
	 * in the five seconds before it.
	 * @param start first key, inclusive; without it the range begins with the first of
	 * all
	 * @param end end of the range, exclusive; without it the range goes to the last key
	 * @param peer id of another node; without it all peers
	 */
	@WriteOperation
	WebEndpointResponse<Map<String, String>> begin(@Nullable String start, @Nullable String end,
			@Nullable String peer) {
		try {
			KeyRange range = new KeyRange((start != null) ? Key.of(start) : KeyRange.ALL.start(),
					(end != null) ? Key.of(end) : null);
			return begun((peer != null) ? this.comparisons.compare(peer, range) : this.comparisons.compare(range));
		}
		catch (IllegalArgumentException wrong) {
			return answer(WebEndpointResponse.STATUS_BAD_REQUEST, String.valueOf(wrong.getMessage()));
		}
	}

	private static WebEndpointResponse<Map<String, String>> begun(CompletableFuture<Void> comparison) {
		return comparison.isCompletedExceptionally()
				? answer(CONFLICT, String.valueOf(comparison.exceptionNow().getMessage()))
				: answer(ACCEPTED, "begun: GET reports its progress");
	}

	private static WebEndpointResponse<Map<String, String>> answer(int status, String result) {
		return new WebEndpointResponse<>(Map.of("result", result), status);
	}

	/** A comparison, as {@link ComparisonProgress} reports it. */
	record Comparison(@JsonUnwrapped Subject subject, String state, @Nullable Instant began,
			@Nullable Instant completed, @JsonUnwrapped ComparisonProgress.Counts counts, @Nullable String failure) {

		private static Comparison of(ComparisonProgress its) {
			return new Comparison(Subject.of(its.subject()), its.state().name().toLowerCase(Locale.ROOT),
					instant(its.times().beganMillis()), instant(its.times().completedMillis()), its.counts(),
					its.failure());
		}

		private static @Nullable Instant instant(long millis) {
			return (millis != 0) ? Instant.ofEpochMilli(millis) : null;
		}

	}

	/**
	 * The subject of a comparison.
	 *
	 * @param start first key as it was requested; {@code null} for the first of all
	 * @param end end of the range as it was requested; {@code null} for the end
	 */
	record Subject(String peer, boolean requested, @Nullable String start, @Nullable String end) {

		private static Subject of(ComparisonProgress.Subject its) {
			Key start = its.range().start();
			Key end = its.range().end();
			return new Subject(its.peer(), its.requested(),
					start.equals(KeyRange.ALL.start()) ? null : start.toString(),
					(end != null) ? end.toString() : null);
		}

	}

}
