package io.quorate.operations;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quorate.membership.Departure;
import io.quorate.operations.StatefulSetScale.Known;
import io.quorate.operations.StatefulSetScale.Unknown;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@ExtendWith(OutputCaptureExtension.class)
class ScaleDownTests {

	private static final Duration LIMIT = Duration.ofMinutes(345);

	private final List<String> done = new ArrayList<>();

	private StatefulSetScale scale = new Known(0, 3);

	private @Nullable String objection;

	private boolean isLeft = true;

	private final Departure departure = new Departure() {

		@Override
		public @Nullable String objection(int staying) {
			ScaleDownTests.this.done.add("staying " + staying);
			return ScaleDownTests.this.objection;
		}

		@Override
		public boolean leave(Duration longest) {
			ScaleDownTests.this.done.add("left " + longest);
			return ScaleDownTests.this.isLeft;
		}

	};

	static ScaleDownProperties properties(@Nullable String statefulSet) {
		return new ScaleDownProperties(statefulSet, URI.create("http://127.0.0.1:1"), Path.of("none"), LIMIT);
	}

	private boolean stop(String node, @Nullable String statefulSet) {
		return new ScaleDown(node, properties(statefulSet), (asked) -> {
			this.done.add("asked " + asked);
			return this.scale;
		}, this.departure).leaveIfScaledDown();
	}

	@ParameterizedTest
	@CsvSource({ "quorate-3, 0, 3, true", "quorate-12, 0, 3, true", "quorate-2, 0, 3, false", "quorate-0, 0, 1, false",
			"quorate-4, 2, 3, false", "quorate-5, 2, 3, true", "quorate-3, 0, 0, false" })
	void aPodLeavesThatItsStatefulSetIsNotToHave(String node, int start, int replicas, boolean leaves) {
		this.scale = new Known(start, replicas);
		assertThat(stop(node, "quorate")).isEqualTo(leaves);
		assertThat(this.done.contains("left " + LIMIT)).isEqualTo(leaves);
	}

	@Test
	void aPodAsksOnceAndThenLeaves() {
		assertThat(stop("quorate-3", "quorate")).isTrue();
		assertThat(this.done).containsExactly("asked quorate", "staying 3", "left " + LIMIT);
	}

	@Test
	void aPodThatKnowsNothingStaysAMember(CapturedOutput output) {
		this.scale = new Unknown("it answers 403");
		assertThat(stop("quorate-3", "quorate")).isFalse();
		assertThat(this.done).containsExactly("asked quorate");
		assertThat(output)
			.contains("The node stops without leaving the cluster: the API server does not say how many pods"
					+ " quorate is to have, it answers 403");
	}

	@Test
	void aPodStaysWhenTooFewMembersWouldBeLeft(CapturedOutput output) {
		this.scale = new Known(0, 2);
		this.objection = "2 members would be fewer than the replication factor, 3";
		assertThat(stop("quorate-3", "quorate")).isFalse();
		assertThat(this.done).containsExactly("asked quorate", "staying 2");
		assertThat(output)
			.contains("without leaving the cluster: 2 members would be fewer than the replication factor, 3");
	}

	@Test
	void aPodThatCannotLeaveInTimeStaysAMember() {
		this.isLeft = false;
		assertThat(stop("quorate-3", "quorate")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "quorate", "quorate-", "quorate-a", "quorate-03", "quorate-9999999999", "other-3" })
	void aNodeThatIsNoPodOfTheStatefulSetAsksNothing(String node) {
		assertThat(stop(node, "quorate")).isFalse();
		assertThat(this.done).isEmpty();
	}

	@Test
	void aNodeWithoutAStatefulSetAsksNothing() {
		assertThat(stop("quorate-3", null)).isFalse();
		assertThat(this.done).isEmpty();
	}

	@Test
	void aLimitOfNothingIsRefused() {
		assertThatThrownBy(
				() -> new ScaleDownProperties("quorate", URI.create("http://a"), Path.of("b"), Duration.ZERO))
			.hasMessageContaining("quorate.operations.scale-down.limit must be at least 1s");
	}

}
