package io.quorate.storage.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.KeyRanges;
import io.quorate.entry.Partitions;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.Arrivals;
import io.quorate.storage.Arrivals.Name;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ShareChange;
import io.quorate.storage.StorageProperties.Sync;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

/** The names of the entries that arrive at a store. */
class StoreArrivalsTests {

	private static final KeyRanges ALL = KeyRanges.of(List.of(ScanRange.ascending(Key.of("\0"), null)));

	private static final Key KEY = Key.of("key");

	@TempDir
	private Path directory;

	private LsmStore store;

	private Arrivals.Page begun;

	@BeforeEach
	void open() {
		this.store = StoreOpening.open(TestStores.properties(this.directory, Sync.ALWAYS), PurgePolicy.nothing());
		this.begun = this.store.arrivals().after(0, Arrivals.NOW, ALL, 1);
	}

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void eachEntryIsNamedOnceItIsAcknowledged() {
		Entry large = live(3, 100_000);
		Entry deletion = new Entry.Tombstone(Timestamp.ofMillis(4), 3);
		put(KEY, live(2, 10));
		put(Key.of("large"), large);
		put(KEY, deletion);
		assertThat(names()).containsExactly(new Name(KEY, 1, Summary.of(live(2, 10))),
				new Name(Key.of("large"), 2, Summary.of(large)), new Name(KEY, 3, Summary.of(deletion)));
	}

	@Test
	void anEntryThatLosesForCertainIsNotNamed() {
		put(KEY, live(2, 10));
		put(KEY, live(1, 10));
		assertThat(names()).extracting(Name::sequence).containsExactly(1L);
		assertThat(after().through()).as("its number is passed").isEqualTo(2);
	}

	@Test
	void anEntryThatMayLoseAgainstOneInATableIsNamedAsUncertain() {
		put(KEY, live(5, 10));
		await(this.store.flush());
		ApplyResult result = await(this.store.apply(KEY, live(4, 10), Runnable::run));
		assertThat(result).isEqualTo(new ApplyResult.Superseded(Timestamp.ofMillis(5), false));
		assertThat(names()).containsExactly(new Name(KEY, 1, Summary.of(live(5, 10))),
				new Name(KEY, 2, Summary.of(live(4, 10)), false));
	}

	@Test
	void anEntryThatComesAgainIsNotNamedAgain() {
		put(KEY, live(2, 10));
		put(KEY, live(2, 10));
		assertThat(names()).extracting(Name::sequence).containsExactly(1L);
	}

	@Test
	void aPromiseIsNotNamed() {
		await(this.store.promise(KEY, Timestamp.ofMillis(7), Deadline.after(Duration.ofMinutes(1)), Runnable::run));
		assertThat(await(this.store.apply(KEY, live(6, 10), Runnable::run)))
			.isEqualTo(new ApplyResult.Promised(Timestamp.ofMillis(7)));
		put(KEY, live(8, 10));
		assertThat(names()).extracting(Name::summary).containsExactly(Summary.of(live(8, 10)));
	}

	@Test
	void anEntryOfALostPartitionIsNotNamed() {
		await(this.store.assign(new ShareChange(2, Set.of(), Set.of(Partitions.of(KEY)))));
		put(KEY, live(2, 10));
		put(otherKey(), live(3, 10));
		assertThat(names()).extracting(Name::key).containsExactly(otherKey());
	}

	private static Key otherKey() {
		for (int i = 0;; i++) {
			Key key = Key.of("other" + i);
			if (Partitions.of(key) != Partitions.of(KEY)) {
				return key;
			}
		}
	}

	@Test
	void aReaderThatIsWokenFindsTheEntryInTheStore() {
		AtomicReference<ReadResult> found = new AtomicReference<>();
		CompletableFuture<Boolean> woken = new CompletableFuture<>();
		AtomicInteger told = new AtomicInteger();
		AtomicInteger toldBefore = new AtomicInteger();
		this.store.arrivals().await(this.begun, ALL, System.nanoTime() + Duration.ofHours(1).toNanos(), () -> {
			found.set(this.store.read(KEY, Runnable::run).join());
			toldBefore.set(told.get());
			woken.complete(true);
		});
		await(this.store.apply(KEY, live(2, 10), Runnable::run).thenRun(told::incrementAndGet));
		assertThat(woken).as("before the writer is told").isDone();
		assertThat(toldBefore).hasValue(0);
		assertThat(found).hasValue(new ReadResult.Found(live(2, 10)));
	}

	@Test
	void theNextStartHasAnotherEpochAndBeginsWithTheLastNumber() {
		put(KEY, live(2, 10));
		put(Key.of("other"), live(3, 10));
		close();
		open();
		assertThat(this.begun.epoch()).isNotEqualTo(0);
		assertThat(this.begun.through()).isEqualTo(2);
		put(KEY, live(4, 10));
		assertThat(names()).extracting(Name::sequence).containsExactly(3L);
	}

	@Test
	void setAsideDataBeginsAnotherEpoch() {
		put(KEY, live(2, 10));
		await(this.store.setAside());
		Arrivals.Page after = after();
		assertThat(after.isGap()).isTrue();
		assertThat(after.epoch()).isNotEqualTo(this.begun.epoch());
		assertThat(after.names()).isEmpty();
	}

	@Test
	void writesAtOnceAreNamedInTheOrderOfTheirNumbers() {
		List<CompletableFuture<ApplyResult>> writes = new ArrayList<>();
		for (int i = 0; i < 2000; i++) {
			writes.add(this.store.apply(Key.of("k" + i), live(1 + i, 10), Runnable::run));
		}
		List<Long> numbers = new ArrayList<>();
		writes.forEach((write) -> numbers.add(((ApplyResult.Applied) await(write)).sequence()));
		List<Long> named = new ArrayList<>();
		Arrivals.Page page = this.begun;
		while (named.size() < 2000) {
			Arrivals.Page next = this.store.arrivals().after(page.epoch(), page.through(), ALL, 300);
			assertThat(next.names()).isNotEmpty();
			next.names().forEach((name) -> named.add(name.sequence()));
			page = next;
		}
		assertThat(named).isSorted().containsExactlyInAnyOrderElementsOf(numbers);
	}

	private Arrivals.Page after() {
		return this.store.arrivals().after(this.begun.epoch(), this.begun.through(), ALL, 10_000);
	}

	private List<Name> names() {
		return after().names();
	}

	private void put(Key key, Entry entry) {
		await(this.store.apply(key, entry, Runnable::run));
	}

	private static Entry live(long millis, int size) {
		return new Entry.Live(Timestamp.ofMillis(millis), 3, Entry.NEVER, Value.wrap(new byte[size]));
	}

}
