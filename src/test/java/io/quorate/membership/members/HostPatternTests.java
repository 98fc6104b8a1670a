package io.quorate.membership.members;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class HostPatternTests {

	/** The names stand for those of pods. */
	@Test
	void namesOfNodesAreFoundHoweverTheyAreWritten() {
		assertThat(HostPattern.covers("*.quorate-peers", "quorate-0.quorate-peers")).isTrue();
		assertThat(HostPattern.covers("Quorate-0.Quorate-Peers.", "quorate-0.quorate-peers")).isTrue();
		assertThat(HostPattern.covers("0:0:0:0:0:0:0:1", "::1")).isTrue();
		assertThat(HostPattern.covers("*.peers", "quorate-0.quorate-peers")).isFalse();
		assertThat(HostPattern.covers("*.quorate-peers", "a.b.quorate-peers")).isFalse();
		assertThat(HostPattern.covers("*.quorate-peers", "quorate-peers")).isFalse();
		assertThat(HostPattern.covers("quorate-1.quorate-peers", "quorate-0.quorate-peers")).isFalse();
	}

	@Test
	void aPatternHasTheHostsOfOneDomain() {
		HostPattern pods = new HostPattern("*.Quorate-Peers.");
		assertThat(pods.covers("quorate-7.quorate-peers")).isTrue();
		assertThat(pods.covers("quorate-7.other-peers")).isFalse();
		assertThat(pods).hasToString("*.quorate-peers");
		assertThat(new HostPattern("127.0.0.1").covers("127.0.0.1")).isTrue();
	}

	@Test
	void certificatesWithAndWithoutAWildcardMeetAPattern() {
		HostPattern pods = new HostPattern("*.peers");
		assertThat(pods.meets("n3.peers")).isTrue();
		assertThat(pods.meets("*.peers")).isTrue();
		assertThat(pods.meets("n3.clients")).isFalse();
		assertThat(pods.meets("*.clients")).isFalse();
		assertThat(new HostPattern("n3.peers").meets("*.peers")).isTrue();
		assertThat(new HostPattern("n3.peers").meets("n4.peers")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "*", "*.", "n*.peers", "*.*.peers", "a b" })
	void aWildcardElsewhereIsRefused(String text) {
		assertThatThrownBy(() -> new HostPattern(text)).isInstanceOf(IllegalArgumentException.class)
			.hasMessageContaining("is no host");
	}

}
