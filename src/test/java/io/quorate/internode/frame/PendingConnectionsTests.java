package io.quorate.internode.frame;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PendingConnectionsTests {

	private static final String STRANGER = "192.0.2.1";

	private static final String MEMBER = "192.0.2.2";

	private final AtomicLong nanos = new AtomicLong();

	private final PendingConnections connections = new PendingConnections(8, this.nanos::get);

	@Test
	void anAddressWhoseHandshakesFailHasNoPlaceForAMoment() {
		for (int i = 0; i < PendingConnections.MAX_FAILED; i++) {
			handshake(STRANGER, true);
		}
		assertThat(this.connections.enter(STRANGER)).contains("50 handshakes of its address have failed");
		assertThat(this.connections.enter(MEMBER)).isNull();
		this.connections.leave(MEMBER, false);
		this.nanos.addAndGet(Duration.ofSeconds(1).dividedBy(PendingConnections.MAX_FAILED).toNanos());
		assertThat(this.connections.enter(STRANGER)).as("one more after its part of a second").isNull();
		this.connections.leave(STRANGER, true);
		assertThat(this.connections.enter(STRANGER)).isNotNull();
		assertThat(this.connections.count()).isZero();
	}

	@Test
	void handshakesOfMembersAreNotCounted() {
		for (int i = 0; i < 10 * PendingConnections.MAX_FAILED; i++) {
			handshake(MEMBER, false);
		}
	}

	private void handshake(String address, boolean fails) {
		assertThat(this.connections.enter(address)).isNull();
		this.connections.leave(address, fails);
	}

	@Test
	void oneAddressTakesNotAllPlaces() {
		for (int i = 0; i < 8; i++) {
			assertThat(this.connections.enter(STRANGER)).isNull();
		}
		assertThat(this.connections.enter(STRANGER)).contains("8 connections of its address");
		assertThat(this.connections.enter(MEMBER)).isNull();
		assertThat(this.connections.count()).isEqualTo(9);
	}

}
