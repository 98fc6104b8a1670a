package io.quorate.repair.hint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.repair.HintBacklog;
import io.quorate.repair.RepairProperties;
import io.quorate.replica.Replica;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class HintedHandoffTests {

	private static final int MISSED = 20;

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final AtomicBoolean isUp = new AtomicBoolean();

	private Map<String, Replica> members = Map.of("b", new TakingMember());

	@TempDir
	Path home;

	@Test
	void aQueuedHintIsWrittenBeforeTheThreadEnds() {
		HintedHandoff first = handoff();
		missAll(first);
		first.start();
		first.stop();
		assertThat(first.isRunning()).isFalse();
		HintedHandoff second = handoff();
		second.start();
		await().untilAsserted(() -> assertThat(second.owed()).singleElement().satisfies((owed) -> {
			assertThat(owed.peer()).isEqualTo("b");
			assertThat(owed.count()).isEqualTo(MISSED);
			assertThat(owed.bytes()).isPositive();
			assertThat(owed.age()).isEqualTo(Duration.ofMillis(7));
		}));
		second.stop();
	}

	@Test
	void aMemberThatIsUpGetsItsHintsAtOnce() {
		this.isUp.set(true);
		HintedHandoff handoff = handoff();
		handoff.start();
		missAll(handoff);
		await().untilAsserted(
				() -> assertThat(this.registry.get("quorate.hints.handed.over").counter().count()).isEqualTo(MISSED));
		await()
			.untilAsserted(() -> assertThat(handoff.owed()).containsExactly(new HintBacklog("b", 0, 0, Duration.ZERO)));
		handoff.stop();
	}

	@Test
	void aMemberThatJoinsHasHintsAndOneThatHasLeftHasNone() {
		HintedHandoff handoff = handoff();
		handoff.start();
		missAll(handoff);
		await()
			.until(() -> handoff.owed().stream().anyMatch((owed) -> owed.peer().equals("b") && owed.count() == MISSED));
		this.members = Map.of("c", new TakingMember());
		handoff.left("b");
		await().until(() -> !Files.exists(this.home.resolve("b")));
		handoff.missed(Key.of("key"), new Entry.Tombstone(Timestamp.ofMillis(1_000_000), 3), "c");
		handoff.missed(Key.of("key"), new Entry.Tombstone(Timestamp.ofMillis(1_000_000), 3), "b");
		await().until(() -> handoff.owed().stream().anyMatch((owed) -> owed.peer().equals("c") && owed.count() == 1));
		assertThat(handoff.owed()).extracting(HintBacklog::peer).containsExactly("c");
		handoff.stop();
		assertThat(this.home.resolve("b")).doesNotExist();
	}

	@Test
	void hintsForANodeThatHasLeftMeanwhileAreDeleted() throws IOException {
		this.members = Map.of("b", new TakingMember(), ".c", new TakingMember(), "d", new TakingMember());
		HintedHandoff first = handoff();
		first.start();
		missAll(first);
		await()
			.until(() -> first.owed().stream().anyMatch((owed) -> owed.peer().equals("b") && owed.count() == MISSED));
		first.stop();
		Path strange = Files.createDirectories(this.home.resolve("e")).resolve("notes");
		Files.writeString(strange, "an operator's");
		this.members = Map.of("d", new TakingMember());
		handoff(null);
		assertThat(this.home.resolve("b")).as("the layout is not known yet").exists();
		handoff(List.of(".c", "d"));
		assertThat(this.home.resolve("b")).doesNotExist();
		assertThat(this.home.resolve("%2ec")).exists();
		assertThat(this.home.resolve("d")).exists();
		assertThat(strange).exists();
	}

	@Test
	void aCandidateThatWasStartedAgainKeepsHintsOnceItIsAMember() {
		this.members = Map.of("a", new TakingMember(), "b", new TakingMember());
		handoff(List.of("a")).stop();
		HintedHandoff candidate = handoff(List.of("a"));
		candidate.start();
		missAll(candidate);
		candidate.stop();
		assertThat(this.registry.get("quorate.hints.stored").tag("peer", "b").counter().count()).isEqualTo(MISSED);
		assertThat(this.home.resolve("b")).isNotEmptyDirectory();
	}

	private HintedHandoff handoff() {
		return handoff(null);
	}

	private HintedHandoff handoff(@Nullable List<String> decided) {
		HintEnvironment around = new HintEnvironment(() -> this.members, (_) -> this.isUp.get(), () -> false,
				() -> 1_000_007, System::nanoTime);
		RepairProperties properties = new RepairProperties(Duration.ofHours(3), Duration.ofDays(10),
				new RepairProperties.Hints(true, DataSize.ofMegabytes(1), DataSize.ofMegabytes(1),
						DataSize.ofMegabytes(1)));
		return new HintedHandoff(this.home, decided, around, properties, this.registry);
	}

	private static void missAll(HintedHandoff handoff) {
		for (int i = 0; i < MISSED; i++) {
			handoff.missed(Key.of("key-" + i), new Entry.Tombstone(Timestamp.ofMillis(1_000_000), 3), "b");
		}
	}

}
