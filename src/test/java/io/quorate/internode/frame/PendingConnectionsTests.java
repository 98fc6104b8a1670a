package io.quorate.internode.frame;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
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
		assertThat(this.connections.enter(new One(STRANGER))).contains("50 handshakes of its address have failed");
		this.connections.leave(enter(MEMBER), true);
		this.nanos.addAndGet(Duration.ofSeconds(1).dividedBy(PendingConnections.MAX_FAILED).toNanos());
		handshake(STRANGER, true);
		assertThat(this.connections.enter(new One(STRANGER))).as("one more after its part of a second").isNotNull();
		assertThat(this.connections.count()).isZero();
	}

	@Test
	void handshakesOfMembersAreNotCounted() {
		for (int i = 0; i < 10 * PendingConnections.MAX_FAILED; i++) {
			handshake(MEMBER, false);
		}
	}

	@Test
	void aConnectionThatHasSaidNothingCostsNoHandshake() {
		for (int i = 0; i < 10 * PendingConnections.MAX_FAILED; i++) {
			this.connections.leave(enter(MEMBER), false);
		}
	}

	private void handshake(String address, boolean fails) {
		One one = enter(address);
		one.hasSpoken = true;
		this.connections.leave(one, !fails);
	}

	@Test
	void oneAddressTakesNotAllPlacesAndItsOldestConnectionGoes() {
		List<One> strangers = new ArrayList<>();
		for (int i = 0; i < 9; i++) {
			strangers.add(enter(STRANGER));
		}
		assertThat(strangers.getFirst().left).contains("8 connections of its address", "it is the oldest");
		assertThat(strangers.subList(1, 9)).allMatch(One::isThere);
		this.connections.leave(strangers.getFirst(), false);
		assertThat(this.connections.count()).isEqualTo(8);
	}

	@Test
	void aPeerThatHasBegunItsHandshakeStaysWhileAnotherHasSaidNothing() {
		One begun = enter(STRANGER);
		begun.hasSpoken = true;
		One silent = enter(STRANGER);
		for (int i = 0; i < 7; i++) {
			enter(STRANGER);
		}
		assertThat(begun.isThere()).isTrue();
		assertThat(silent.isThere()).isFalse();
	}

	@Test
	void silentConnectionsKeepNoMemberOut() {
		for (int wave = 0; wave < 100; wave++) {
			flood(8, false);
			One member = enter(MEMBER);
			assertThat(member.isThere()).isTrue();
			member.hasSpoken = true;
			flood(8, false);
			assertThat(member.isThere()).as("though more have come since").isTrue();
			this.connections.leave(member, false);
			this.nanos.addAndGet(Duration.ofSeconds(1).toNanos());
		}
	}

	@Test
	void placesAreLeftForAddressesFromWhichMembersHaveCome() {
		handshake(MEMBER, false);
		flood(20, true);
		assertThat(this.connections.count()).isEqualTo(PendingConnections.MAX_OF_STRANGERS);
		List<One> members = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			members.add(enter(MEMBER));
		}
		flood(20, true);
		assertThat(members).as("whatever strangers say").allMatch(One::isThere);
		assertThat(this.connections.count()).isEqualTo(PendingConnections.MAX_OF_STRANGERS + 8);
	}

	private void flood(int addresses, boolean speak) {
		for (int address = 0; address < addresses; address++) {
			for (int i = 0; i < 8; i++) {
				enter("198.51.100." + address).hasSpoken = speak;
			}
		}
	}

	private One enter(String address) {
		One one = new One(address);
		assertThat(this.connections.enter(one)).isNull();
		return one;
	}

	private static final class One implements PendingConnections.Place {

		private final String address;

		private boolean hasSpoken;

		private @Nullable String left;

		private One(String address) {
			this.address = address;
		}

		private boolean isThere() {
			return this.left == null;
		}

		@Override
		public String address() {
			return this.address;
		}

		@Override
		public boolean hasSpoken() {
			return this.hasSpoken;
		}

		@Override
		public void giveWay(String why) {
			this.left = why;
		}

	}

}
