package io.quorate.api.transport;

import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.micrometer.core.instrument.Counter;
import io.netty.channel.Channel;
import io.quorate.security.RefusalLog;
import org.slf4j.event.Level;

/**
 * Counts the handshakes of TLS on a port by their outcomes, and logs those that were
 * refused. Safe for any number of event loops.
 */
final class HandshakeLog {

	private final Map<String, Counter> outcomes;

	private final RefusalLog refusals;

	/**
	 * A log without any handshake yet.
	 * @param port name of the port
	 */
	HandshakeLog(String port, TlsMeasures measures, RefusalLog refusals) {
		this.outcomes = Stream.of("completed", "failed", "timeout", "plain")
			.collect(Collectors.toUnmodifiableMap(Function.identity(), (each) -> measures.handshakes(port, each)));
		this.refusals = refusals;
	}

	void ended(String outcome) {
		Objects.requireNonNull(this.outcomes.get(outcome)).increment();
	}

	void refused(Channel channel, String why) {
		this.refusals.refused(Level.INFO, channel.remoteAddress(), why);
	}

}
