package io.quorate.api.transport;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.security.RefusalLog;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class DoorTests {

	private static final Counter COUNTER = new SimpleMeterRegistry().counter("refused");

	@ParameterizedTest
	@CsvSource({ "n0:8080, true", "N0, true", "localhost:9, true", "127.0.0.1, true", "[::1]:8080, true",
			"evil.example, false", "n0.evil:8080, false", "'', false" })
	void aPortOnAllAddressesServesTheHostsThatAreNamed(String host, boolean isServed) {
		assertThat(door(null, List.of("n0"), true).admits(host)).isEqualTo(isServed);
		assertThat(door(null, List.of("n0"), false).admits(host)).isEqualTo(isServed);
		assertThat(door(null, List.of(), true).admits(host)).isTrue();
	}

	@Test
	void aPortOnLoopbackServesTheHostsThatAreNamedToo() {
		InetAddress loopback = InetAddress.getLoopbackAddress();
		assertThat(door(loopback, List.of("kv.example.com"), true).admits("kv.example.com")).isTrue();
		assertThat(door(loopback, List.of("kv.example.com"), true).admits("evil.example")).isFalse();
		assertThat(door(loopback, List.of(), true).admits("kv.example.com")).isFalse();
	}

	private static Door door(@Nullable InetAddress bound, List<String> hosts, boolean servesAnonymous) {
		return new Door(
				new PortTerms(new PortTerms.Limits(1, Duration.ZERO, COUNTER), () -> new RefusalLog(COUNTER, () -> 0),
						new AtomicInteger(), new NoTls(), hosts, () -> servesAnonymous),
				new AtomicInteger(), bound, null);
	}

	private static final class NoTls implements TlsMeasures {

		@Override
		public Counter handshakes(String port, String outcome) {
			throw new IllegalStateException("there is no TLS");
		}

		@Override
		public void certificateOf(String port, DoubleSupplier remainingSeconds) {
			throw new IllegalStateException("there is no TLS");
		}

	}

}
