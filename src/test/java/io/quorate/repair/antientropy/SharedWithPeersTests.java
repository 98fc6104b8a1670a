package io.quorate.repair.antientropy;

import java.util.List;

import io.quorate.membership.layout.Layout;
import io.quorate.repair.comparison.ComparisonFailedException;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SharedWithPeersTests {

	private static final Ring RING = Ring.of(List.of(Member.of("n0"), Member.of("n1")), 2);

	private static SharedWithPeers of(String self) {
		return new SharedWithPeers(self, () -> new Layout(Layout.FIRST, List.of(), RING));
	}

	@Test
	void membersHaveEntriesInCommon() {
		assertThat(of("n0").isAny("n1")).isTrue();
		assertThat(of("n0").with("n1").entries().isAny()).isTrue();
	}

	/* A member may leave between two steps of a comparison. */
	@Test
	void aComparisonWithAPeerThatHasLeftIsInterrupted() {
		assertThat(of("n0").isAny("n2")).isFalse();
		assertThatExceptionOfType(ComparisonFailedException.class).isThrownBy(() -> of("n0").with("n2"));
	}

	@Test
	void aComparisonOfANodeThatHasLeftIsInterrupted() {
		assertThat(of("n2").isAny("n1")).isFalse();
		assertThatExceptionOfType(ComparisonFailedException.class).isThrownBy(() -> of("n2").with("n1"));
	}

}
