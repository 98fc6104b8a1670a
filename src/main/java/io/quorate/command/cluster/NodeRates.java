package io.quorate.command.cluster;

import java.net.URI;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.quorate.client.QuorateException;
import io.quorate.client.Request;
import io.quorate.command.access.Answers;
import io.quorate.command.access.Cluster;
import org.jspecify.annotations.Nullable;

/**
 * The counts of the requests that a node has answered, at an instant. Two of them give
 * rates.
 *
 * @param nanos the instant, on the clock of {@link System#nanoTime()}
 * @param counts number of requests by kind
 */
record NodeRates(long nanos, Map<Kind, Double> counts) {

	private static final Pattern LINE = Pattern
		.compile("(?m)^quorate_request_seconds_count\\{[^}]*operation=\"(\\w+)\"[^}]*outcome=\"(\\w+)\"[^}]*} (\\S+)$");

	private static final double NANOS_A_SECOND = 1_000_000_000;

	/**
	 * Asks a node, {@code null} if it does not say, or has its meters on another port.
	 */
	static @Nullable NodeRates of(Cluster cluster, URI node) {
		try {
			return parse(Answers.text(cluster.ask(node, Request.read("/actuator/prometheus"), Answers::isSuccess)),
					System.nanoTime());
		}
		catch (QuorateException failure) {
			return null;
		}
	}

	static NodeRates parse(String meters, long nanos) {
		Map<Kind, Double> counts = new EnumMap<>(Kind.class);
		for (Kind kind : Kind.values()) {
			counts.put(kind, 0.0);
		}
		Matcher lines = LINE.matcher(meters);
		while (lines.find()) {
			double count = Double.parseDouble(lines.group(3));
			counts.merge(Kind.valueOf(lines.group(1).toUpperCase(Locale.ROOT)), count, Double::sum);
			if (!lines.group(2).matches("success|not_found|cancelled")) {
				counts.merge(Kind.ERROR, count, Double::sum);
			}
		}
		return new NodeRates(nanos, counts);
	}

	/** Requests a second of a kind since an earlier instant. A restart counts as none. */
	double since(NodeRates before, Kind kind) {
		double seconds = (this.nanos - before.nanos) / NANOS_A_SECOND;
		double more = this.counts.getOrDefault(kind, 0.0) - before.counts.getOrDefault(kind, 0.0);
		return (seconds > 0) ? Math.max(0, more) / seconds : 0;
	}

	/** The kinds of requests; errors are of all the others. */
	enum Kind {

		GET, PUT, DELETE, SCAN, BATCH, ERROR

	}

}
