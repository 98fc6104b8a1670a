package io.quorate.internode.wiring;

import java.util.List;
import java.util.stream.IntStream;

import io.quorate.entry.Key;
import io.quorate.membership.Layout;
import io.quorate.membership.Layouts;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AdoptedLayoutFenceTests {

	private final Ring ring = Ring.of(IntStream.range(0, 5).mapToObj((i) -> Member.of("n" + i)).toList(), 3);

	private final AdoptedLayoutFence fence = new AdoptedLayoutFence(
			new Layouts("n0", new Layout(7, List.of(), this.ring)));

	private Key key(boolean isHeld) {
		return IntStream.range(0, 1000)
			.mapToObj((i) -> Key.of("key" + i))
			.filter((key) -> this.ring.replicas(this.ring.partitionOf(key)).contains(Member.of("n0")) == isHeld)
			.findFirst()
			.orElseThrow();
	}

	@Test
	void requestsOfAnEarlierLayoutAreRefused() {
		for (Key key : List.of(key(true), key(false))) {
			assertThat(this.fence.refuses(6, key)).isEqualTo(new Failure(Reason.STALE_LAYOUT,
					"the request was planned under version 6 of the layout, the node has adopted version 7"));
		}
		assertThat(this.fence.refuses(6, null)).extracting(Failure::reason).isEqualTo(Reason.STALE_LAYOUT);
	}

	@Test
	void requestsOfTheAdoptedLayoutPass() {
		assertThat(this.fence.refuses(7, key(true))).isNull();
		assertThat(this.fence.refuses(7, key(false))).as("the coordinator knows best").isNull();
		assertThat(this.fence.refuses(7, null)).isNull();
	}

	@Test
	void writesOfALaterLayoutPassForKeysOfThisNode() {
		assertThat(this.fence.refuses(8, key(true))).isNull();
		assertThat(this.fence.refuses(8, key(false))).isEqualTo(new Failure(Reason.LAYOUT_BEHIND,
				"the write was planned under version 8 of the layout, the node has adopted version 7, and is no replica of the key by that"));
		assertThat(this.fence.refuses(8, null)).as("a read").isNull();
	}

}
