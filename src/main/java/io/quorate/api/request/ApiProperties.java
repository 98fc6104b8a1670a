package io.quorate.api.request;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The limits of the HTTP protocol: idle times, slow requests, connections and batches.
 *
 * @param bodyIdleTimeout time for which a client may send nothing of a body, or less than
 * the least rate, before the request ends with 408; 1s to 1h
 * @param answerIdleTimeout time for which a client may take nothing of a value or scan
 * that is ready for it, before its connection is closed; 1s to 1h
 * @param slowRequest time from which on a request is logged as slow, counted from the end
 * of its body to the head of its answer, or of a batch to the end of its last item; 0 for
 * never
 * @param maxConnections connections of clients that may be open, half of them from one
 * address; for a further one the oldest that has asked for nothing is closed
 * @param connectionLifetime time, less up to a tenth, after which the next answer closes
 * its connection, so that connections do not outlive certificates; 0 for none
 * @param hosts names and addresses, without ports, that a request may have in its field
 * Host, beside those of loopback; any if empty
 * @param docs the reference page
 * @param batch batches of items
 */
@Validated
@ConfigurationProperties("quorate.api")
public record ApiProperties(@DefaultValue("5s") Duration bodyIdleTimeout,
		@DefaultValue("30s") Duration answerIdleTimeout, @DefaultValue("500ms") Duration slowRequest,
		@DefaultValue("8192") @Min(2) int maxConnections, @DefaultValue("1h") Duration connectionLifetime,
		@DefaultValue List<String> hosts, @DefaultValue @Valid Docs docs, @DefaultValue @Valid Batch batch) {

	private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+\\]");

	private static final Duration LEAST = Duration.ofSeconds(1);

	private static final Duration MOST = Duration.ofHours(1);

	public ApiProperties {
		requireSensible("body-idle-timeout", bodyIdleTimeout);
		requireSensible("answer-idle-timeout", answerIdleTimeout);
		if (connectionLifetime.isNegative()
				|| (connectionLifetime.isPositive() && connectionLifetime.compareTo(LEAST) < 0)) {
			throw new IllegalArgumentException(
					"quorate.api.connection-lifetime must be 0 or at least 1s, not " + connectionLifetime);
		}
		hosts = List.copyOf(hosts);
		for (String host : hosts) {
			if (!HOST.matcher(host).matches()) {
				throw new IllegalArgumentException(
						"quorate.api.hosts must be names or addresses without scheme and port, such as kv.example.com or [fd00::1], not "
								+ host);
			}
		}
		if (slowRequest.isNegative()) {
			throw new IllegalArgumentException("quorate.api.slow-request must be at least 0, not " + slowRequest);
		}
	}

	private static void requireSensible(String name, Duration value) {
		if (value.compareTo(LEAST) < 0 || value.compareTo(MOST) > 0) {
			throw new IllegalArgumentException(
					"quorate.api.%s must be between 1s and 1h, not %s".formatted(name, value));
		}
	}

	/**
	 * The reference page.
	 *
	 * @param enabled whether {@code /v0/docs} shows the reference of the HTTP API
	 */
	public record Docs(@DefaultValue("true") boolean enabled) {
	}

	/**
	 * The limits of batches.
	 *
	 * @param maxItems lines that a batch may have, at most 100,000; beyond it 413
	 */
	public record Batch(@DefaultValue("1000") @Min(1) @Max(100_000) int maxItems) {
	}

}
