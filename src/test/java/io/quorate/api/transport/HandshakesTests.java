package io.quorate.api.transport;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HandshakesTests {

	private final Handshakes handshakes = new Handshakes();

	private final List<String> begun = new ArrayList<>();

	private void enter(String address) {
		this.handshakes.enter(address, () -> this.begun.add(address));
	}

	private void enter(String address, int times) {
		for (int i = 0; i < times; i++) {
			enter(address);
		}
	}

	@Test
	void anAddressHasItsPartAndTheRestWaits() {
		enter("a", 20);
		assertThat(this.begun).hasSize(Handshakes.MAX_OF_ADDRESS);
		enter("b");
		assertThat(this.begun).endsWith("b");
		this.handshakes.leave("a");
		assertThat(this.begun).hasSize(Handshakes.MAX_OF_ADDRESS + 2).endsWith("a");
	}

	@Test
	void addressesThatWaitTakeTurns() {
		for (String address : List.of("a", "b", "c", "d")) {
			enter(address, Handshakes.MAX_OF_ADDRESS);
		}
		enter("e", 2);
		enter("f", 2);
		assertThat(this.begun).hasSize(Handshakes.MAX);
		this.handshakes.leave("a");
		this.handshakes.leave("a");
		this.handshakes.leave("a");
		assertThat(this.begun.subList(Handshakes.MAX, this.begun.size())).containsExactly("e", "f", "e");
		assertThat(this.handshakes.running()).isEqualTo(Handshakes.MAX);
	}

	@Test
	void handshakeThatIsGivenUpDoesNotBegin() {
		enter("a", Handshakes.MAX_OF_ADDRESS);
		Runnable waiting = () -> this.begun.add("given up");
		this.handshakes.enter("a", waiting);
		assertThat(this.handshakes.giveUp("a", waiting)).isTrue();
		for (int i = 0; i < Handshakes.MAX_OF_ADDRESS; i++) {
			this.handshakes.leave("a");
		}
		assertThat(this.begun).doesNotContain("given up");
		assertThat(this.handshakes.running()).isZero();
	}

}
