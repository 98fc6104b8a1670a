package io.quorate.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.KeyRanges;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.Arrivals.Name;
import io.quorate.storage.Arrivals;
import io.quorate.storage.HeaderPage.Header;
import io.quorate.storage.PageLimit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Arrivals of the simulated store, as those of the store of the product. */
class SimulatedStoreTests {

	private static final ScanRange ALL = ScanRange.ascending(Key.of("\0"), null);

	private static final KeyRanges RANGES = KeyRanges.of(List.of(ALL));

	private static final Duration LONG = Duration.ofMinutes(1);

	private final SimulatedTime time = new SimulatedTime();

	private final SimulatedTables tables = new SimulatedTables(PlantedBug.NONE);

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void anAcknowledgedEntryIsNamedAndItsHeaderIsAboveTheNumberBefore(long seed) {
		SimulatedStore store = store(seed);
		Arrivals.Page begun = store.arrivals().after(0, Arrivals.NOW, RANGES, 1);
		Random random = new Random(seed);
		List<String> told = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			Key key = Key.of("k" + random.nextInt(20));
			Entry entry = live(1 + random.nextInt(1000), i);
			var _ = store.apply(key, entry, Runnable::run).thenAccept((result) -> {
				List<Name> names = store.arrivals().after(begun.epoch(), begun.through(), RANGES, 1000).names();
				boolean isNamed = names.stream()
					.anyMatch((name) -> name.key().equals(key)
							&& (name.summary() == null || name.summary().equals(Summary.of(entry))));
				told.add((isNamed || (result instanceof ApplyResult.Superseded beyond && beyond.isCertain())) ? "named"
						: "lacking " + result);
			});
		}
		this.time.run(LONG);
		assertThat(told).hasSize(200).containsOnly("named");
		List<Name> names = store.arrivals().after(begun.epoch(), begun.through(), RANGES, 1000).names();
		assertThat(names).extracting(Name::sequence).isSorted().doesNotHaveDuplicates();
		for (long above = 0; above <= names.getLast().sequence(); above++) {
			long least = above;
			assertThat(headers(store, above)).extracting(Header::key)
				.containsExactlyInAnyOrderElementsOf(names.stream()
					.filter((name) -> name.sequence() > least && isLast(name, names))
					.map(Name::key)
					.toList());
		}
	}

	/* The last that is named of a key has won. */
	private static boolean isLast(Name name, List<Name> names) {
		return names.stream()
			.noneMatch((other) -> other.key().equals(name.key()) && other.sequence() > name.sequence());
	}

	@Test
	void theNextProcessHasAnotherEpochAndBeginsBehindTheLastOne() {
		SimulatedStore store = store(1);
		Arrivals.Page begun = store.arrivals().after(0, Arrivals.NOW, RANGES, 1);
		CompletableFuture<ApplyResult> first = store.apply(Key.of("a"), live(1, 1), Runnable::run);
		this.time.run(LONG);
		assertThat(first).isDone();
		CompletableFuture<ApplyResult> second = store.apply(Key.of("b"), live(2, 2), Runnable::run);
		store.kill(true);
		assertThat(second).isNotDone();
		SimulatedStore next = store(2);
		Arrivals.Page after = next.arrivals().after(0, Arrivals.NOW, RANGES, 1);
		assertThat(after.epoch()).isNotEqualTo(begun.epoch());
		assertThat(after.through()).isEqualTo(begun.through() + 2);
		assertThat(headers(next, begun.through())).extracting(Header::key).containsExactly(Key.of("a"), Key.of("b"));
		assertThat(headers(next, after.through())).isEmpty();
	}

	@Test
	void epochsAreThoseOfTheSeed() {
		assertThat(store(1).arrivals().after(0, Arrivals.NOW, RANGES, 1))
			.isEqualTo(store(1).arrivals().after(0, Arrivals.NOW, RANGES, 1));
	}

	private List<Header> headers(SimulatedStore store, long above) {
		return store.headers(ALL, above, new PageLimit(1000, 1 << 20, 1000), Deadline.none(), Runnable::run)
			.join()
			.headers();
	}

	private SimulatedStore store(long seed) {
		return new SimulatedStore(this.time, this.tables, new Weather(seed, PlantedBug.NONE), new Random(seed),
				new Random(seed)::nextLong, (_, _) -> {
				});
	}

	private static Entry live(long millis, int number) {
		return new Entry.Live(new Timestamp(Timestamp.ofMillis(millis).hybrid(), number), 3, Entry.NEVER,
				Value.wrap(new byte[] { (byte) number }));
	}

}
