package io.quorate.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import io.quorate.process.NodeClient.Timed;

/** The latencies and statuses of answers. Used by one thread. */
final class Latencies {

	private final List<Long> nanos = new ArrayList<>();

	private final Map<Integer, Integer> statuses = new TreeMap<>();

	/** All of several, which nobody adds to any more. */
	static Latencies of(List<Latencies> parts) {
		Latencies all = new Latencies();
		for (Latencies part : parts) {
			all.nanos.addAll(part.nanos);
			part.statuses.forEach((status, count) -> all.statuses.merge(status, count, Integer::sum));
		}
		return all;
	}

	/** Sends a request, and counts its answer. */
	NodeAnswer count(NodeClient.Exchange exchange) throws Exception {
		Timed timed = NodeClient.timed(exchange);
		this.nanos.add(timed.took().toNanos());
		this.statuses.merge(timed.status(), 1, Integer::sum);
		return timed.answer();
	}

	/** The time that so many of a hundred answers did not exceed. */
	Duration percentile(int percent) {
		List<Long> sorted = new ArrayList<>(this.nanos);
		Collections.sort(sorted);
		return Duration.ofNanos(sorted.get((sorted.size() - 1) * percent / 100));
	}

	/** Number of answers that took at least so long. */
	long slowerThan(Duration limit) {
		return this.nanos.stream().filter((took) -> took >= limit.toNanos()).count();
	}

	/** How often each status was answered. */
	Map<Integer, Integer> statuses() {
		return Collections.unmodifiableMap(this.statuses);
	}

	@Override
	public String toString() {
		return String.format(Locale.ROOT, "%d answers %s, p50 %.1f ms, p95 %.1f ms, p99 %.1f ms, most %.1f ms",
				this.nanos.size(), this.statuses, millis(50), millis(95), millis(99), millis(100));
	}

	private double millis(int percent) {
		return percentile(percent).toNanos() / 1e6;
	}

}
