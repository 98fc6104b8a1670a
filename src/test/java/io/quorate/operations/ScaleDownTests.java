package io.quorate.operations;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

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

	private Runnable meanwhile = () -> {
	};

	private final Departure departure = new Departure() {

		@Override
		public @Nullable String objection(int staying) {
			ScaleDownTests.this.done.add("staying " + staying);
			return ScaleDownTests.this.objection;
		}

		@Override
		public boolean leave(Supplier<@Nullable String> reasonToStay, Duration longest) {
			ScaleDownTests.this.meanwhile.run();
			String staying = reasonToStay.get();
			ScaleDownTests.this.done.add((staying != null) ? staying : "left " + longest);
			return ScaleDownTests.this.isLeft && staying == null;
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
	void aPodThatLeavesAsksAgainWhenItIsItsTurn() {
		assertThat(stop("quorate-3", "quorate")).isTrue();
		assertThat(this.done).containsExactly("asked quorate", "staying 3", "asked quorate", "staying 3",
				"left " + LIMIT);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			0 | quorate is to have no pods for a while
			4 | quorate is to have 4 pods, this one too
			""")
	void aPodStaysThatIsToStayAfterAll(int replicas, String reason) {
		this.meanwhile = () -> this.scale = new Known(0, replicas);
		assertThat(stop("quorate-3", "quorate")).isFalse();
		assertThat(this.done).contains(reason).doesNotContain("left " + LIMIT);
	}

	@Test
	void aPodGoesOnToLeaveWhileTheApiServerIsAway(CapturedOutput output) {
		this.meanwhile = () -> this.scale = new Unknown("no answer within 2000 ms", false);
		assertThat(stop("quorate-3", "quorate")).isTrue();
		assertThat(output).contains("is to have, no answer within 2000 ms: the node goes on to leave");
		this.scale = new Known(0, 3);
		this.meanwhile = () -> this.scale = new Unknown("the StatefulSet is being deleted", true);
		assertThat(stop("quorate-3", "quorate")).isFalse();
	}

	@Test
	void aPodThatKnowsNothingStaysAMember(CapturedOutput output) {
		this.scale = new Unknown("it answers 403", true);
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
