package io.quorate.api.transport;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class GuestsTests {

	private static final int MAX = 8;

	private final AtomicInteger count = new AtomicInteger();

	private final AtomicLong nanos = new AtomicLong(1);

	private final Guests guests = new Guests(MAX, this.count, this.nanos::get);

	@Test
	void clientsThatOnlyConnectKeepNoOtherOut() {
		List<Guest> silent = new ArrayList<>();
		for (int i = 0; i < MAX; i++) {
			silent.add(enter("192.0.2." + (1 + i % 2)));
		}
		Guests.Leaving leaving = requireNonNull(this.guests.enter(guest("192.0.2.3")));
		assertThat(leaving.guest()).isSameAs(silent.getFirst());
		assertThat(leaving.why())
			.isEqualTo("8 connections are open (quorate.api.max-connections), and it has asked for nothing yet");
		assertThat(this.count).hasValue(MAX);
	}

	@Test
	void theOldestOfAnAddressGoesWhenItHasItsHalf() {
		Guest other = enter("192.0.2.2");
		List<Guest> its = new ArrayList<>();
		for (int i = 0; i < MAX / 2; i++) {
			its.add(enter("192.0.2.1"));
		}
		its.getFirst().asks();
		Guests.Leaving leaving = requireNonNull(this.guests.enter(guest("192.0.2.1")));
		assertThat(leaving.guest()).isSameAs(its.get(1)).isNotSameAs(other);
		assertThat(leaving.why()).startsWith("4 connections of its address are open, half of");
	}

	@Test
	void ifAllHaveAskedTheOneThatHasRestedLongestGoes() {
		List<Guest> working = new ArrayList<>();
		for (int i = 0; i < MAX; i++) {
			Guest guest = enter("192.0.2." + i);
			guest.asks();
			working.add(guest);
		}
		assertRefused("all have requests");
		working.get(5).rests();
		this.nanos.addAndGet(Guests.LEAST_REST_NANOS - 1);
		working.get(3).rests();
		assertRefused("they may be in use");
		this.nanos.addAndGet(Guests.LEAST_REST_NANOS);
		assertThat(requireNonNull(this.guests.enter(guest("192.0.2.100"))).guest()).isSameAs(working.get(5));
		working.get(3).asks();
		Guests.Leaving leaving = requireNonNull(this.guests.enter(guest("192.0.2.101")));
		assertThat(leaving.guest()).as("it has asked again").isNotSameAs(working.get(3));
	}

	@Test
	void aNewcomerHasTimeToAskWhileOthersRest() {
		List<Guest> resting = new ArrayList<>();
		for (int i = 0; i < MAX; i++) {
			Guest guest = enter("192.0.2." + i);
			guest.asks();
			guest.rests();
			resting.add(guest);
		}
		this.nanos.addAndGet(Duration.ofMinutes(1).toNanos());
		Guest newcomer = guest("192.0.2.100");
		assertThat(requireNonNull(this.guests.enter(newcomer)).guest()).isIn(resting);
		for (int i = 1; i < MAX; i++) {
			this.nanos.addAndGet(Duration.ofMillis(10).toNanos());
			Guests.Leaving leaving = requireNonNull(this.guests.enter(guest("192.0.2." + (200 + i))));
			assertThat(leaving.guest()).as("newcomer %d", i).isIn(resting);
			assertThat(leaving.why()).endsWith(", and it has rested longest");
		}
		assertThat(requireNonNull(this.guests.enter(guest("192.0.2.101"))).guest()).as("none rests any more")
			.isSameAs(newcomer);
	}

	@Test
	void aClientThatOnlyConnectsPutsOutItselfBeforeThoseWhoRest() {
		List<Guest> silent = new ArrayList<>();
		for (int i = 0; i < MAX; i++) {
			Guest guest = enter("192.0.2." + i);
			if (i % 2 == 0) {
				guest.asks();
				guest.rests();
			}
			else {
				silent.add(guest);
			}
		}
		this.nanos.addAndGet(Guests.TIME_TO_ASK_NANOS);
		for (Guest each : silent) {
			assertThat(requireNonNull(this.guests.enter(guest("192.0.2.100"))).guest()).isSameAs(each);
		}
	}

	private void assertRefused(String why) {
		Guest late = guest("192.0.2.99");
		Guests.Leaving leaving = requireNonNull(this.guests.enter(late));
		assertThat(leaving.guest()).as(why).isSameAs(late);
		this.guests.leave(late);
		assertThat(this.count).hasValue(MAX);
	}

	@Test
	void placesOfThoseWhoLeaveAreFreeOnce() {
		Guest guest = enter("192.0.2.1");
		this.guests.leave(guest);
		this.guests.leave(guest);
		assertThat(this.count).hasValue(0);
		for (int i = 0; i < MAX; i++) {
			enter("192.0.2." + (1 + i % 2));
		}
	}

	@Test
	void theFirstByteIsWaitedForOnlySoLong() {
		EmbeddedChannel silent = new EmbeddedChannel();
		silent.freezeTime();
		silent.pipeline().addLast(guest(silent, "127.0.0.1"));
		EmbeddedChannel begun = new EmbeddedChannel();
		begun.freezeTime();
		begun.pipeline().addLast(guest(begun, "127.0.0.1"));
		pass(silent, Guest.PATIENCE.minusMillis(1));
		pass(begun, Guest.PATIENCE.minusMillis(1));
		begun.writeInbound(Unpooled.wrappedBuffer(new byte[] { 'G' }));
		assertThat(silent.isOpen()).isTrue();
		pass(silent, Duration.ofMillis(1));
		pass(begun, Duration.ofHours(1));
		assertThat(silent.isOpen()).isFalse();
		assertThat(begun.isOpen()).isTrue();
		begun.finishAndReleaseAll();
	}

	private static void pass(EmbeddedChannel channel, Duration time) {
		channel.advanceTimeBy(time.toNanos(), TimeUnit.NANOSECONDS);
		channel.runScheduledPendingTasks();
	}

	private Guest enter(String address) {
		Guest guest = guest(address);
		Guests.Leaving leaving = this.guests.enter(guest);
		assertThat(leaving).isNull();
		return guest;
	}

	private Guest guest(String address) {
		return guest(new EmbeddedChannel(), address);
	}

	private Guest guest(EmbeddedChannel channel, String address) {
		return new Guest(channel, InetAddress.ofLiteral(address), this.guests::hasAsked, this.nanos::get);
	}

}
