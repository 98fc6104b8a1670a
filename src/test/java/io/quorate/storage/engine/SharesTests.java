package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Partitions;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult.Applied;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ScanPage;
import io.quorate.storage.SetAsideData;
import io.quorate.storage.ShareChange;
import io.quorate.storage.floor.Floors;
import io.quorate.storage.floor.SharesFile;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.TableMeta;
import org.junit.jupiter.api.Test;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

/** The entries that count in a store while its node gains and loses a partition. */
class SharesTests extends SharesFixture {

	@Test
	void nothingOfALostPartitionIsFound() {
		put(MOVED, 10);
		Entry kept = put(KEPT, 10);
		await(this.store.assign(loss(2)));
		for (int i = 0; i < 3; i++) {
			requireFound(MOVED, null);
			requireFound(KEPT, kept);
			if (i == 1) {
				reopen();
			}
			await(this.store.flush());
		}
		assertThat(this.store.assignedVersion()).isEqualTo(2);
	}

	@Test
	void arrivalsOfALostPartitionAreNotFound() {
		await(this.store.assign(loss(2)));
		put(MOVED, 10, 30_000);
		requireFound(MOVED, null);
		await(this.store.flush());
		put(MOVED, 11, 30_000);
		requireFound(MOVED, null);
		crash();
		requireFound(MOVED, null);
		await(this.store.assign(gain(3)));
		requireFound(MOVED, null);
		Entry copied = put(MOVED, 5);
		requireFound(MOVED, copied);
	}

	@Test
	void aStartWithALayoutThatHasWhatWasLostTakesItAnew() {
		put(MOVED, 10);
		await(this.store.assign(loss(2)));
		reopen();
		await(this.store.assign(new ShareChange(3, Set.of(), Set.of(), true)));
		requireFound(MOVED, null);
		Entry copied = put(MOVED, 5);
		requireFound(MOVED, copied);
		crash();
		requireFound(MOVED, copied);
	}

	@Test
	void anOlderCopyCountsInTheMemtableAfterAGain() {
		put(MOVED, 10);
		await(this.store.assign(gain(2)));
		requireFound(MOVED, null);
		Entry copied = put(MOVED, 5);
		requireFound(MOVED, copied);
		crash();
		requireFound(MOVED, copied);
	}

	@Test
	void anOlderCopyCountsInTablesAfterAGain() {
		put(MOVED, 10);
		await(this.store.flush());
		await(this.store.assign(gain(2)));
		Entry copied = put(MOVED, 5);
		await(this.store.flush());
		requireFound(MOVED, copied);
		for (int i = 0; i < 4; i++) {
			put(KEPT, 10 + i);
			await(this.store.flush());
		}
		await(this.store.compacted());
		assertThat(this.store.status().tables().all()).isOne();
		requireFound(MOVED, copied);
		reopen();
		requireFound(MOVED, copied);
	}

	@Test
	void theSameEntryThatComesAgainCountsFromItsCopyOn() {
		Entry entry = put(MOVED, 10);
		await(this.store.flush());
		await(this.store.assign(gain(2)));
		assertThat(await(this.store.apply(MOVED, entry, Runnable::run))).isEqualTo(new Applied(2));
		requireFound(MOVED, entry);
		await(this.store.flush());
		await(this.store.compacted());
		requireFound(MOVED, entry);
		assertThat(await(this.store.headers(MOVED, null, LIMIT, Runnable::run)).headers()).singleElement()
			.satisfies((header) -> assertThat(header.sequence()).isEqualTo(2));
	}

	@Test
	void hiddenEntriesSupersedeNothing() {
		put(MOVED, 10);
		await(this.store.flush());
		put(MOVED, 11);
		await(this.store.assign(gain(2)));
		assertThat(await(this.store.apply(MOVED, entry(5, 10), Runnable::run))).isInstanceOf(Applied.class);
		await(this.store.assign(loss(3)));
		await(this.store.assign(gain(4)));
		assertThat(await(this.store.apply(MOVED, entry(4, 10), Runnable::run))).isInstanceOf(Applied.class);
		assertThat(await(this.store.apply(MOVED, entry(3, 10), Runnable::run)))
			.isInstanceOf(ApplyResult.Superseded.class);
	}

	@Test
	void aRepeatedCallHidesNoCopy() {
		put(MOVED, 10);
		await(this.store.assign(gain(2)));
		Entry copied = put(MOVED, 5);
		await(this.store.assign(gain(2)));
		requireFound(MOVED, copied);
		crash();
		await(this.store.assign(gain(2)));
		await(this.store.assign(loss(1)));
		requireFound(MOVED, copied);
		assertThat(this.store.assignedVersion()).isEqualTo(2);
	}

	@Test
	void aSecondGainHidesWhatWasCopiedForTheFirst() {
		await(this.store.assign(gain(2)));
		put(MOVED, 10);
		await(this.store.assign(loss(3)));
		await(this.store.assign(gain(4)));
		requireFound(MOVED, null);
		Entry copied = put(MOVED, 5);
		requireFound(MOVED, copied);
	}

	@Test
	void aVersionThatMovesNothingIsRecorded() {
		Entry kept = put(MOVED, 10);
		await(this.store.assign(new ShareChange(7, Set.of(), Set.of())));
		assertThat(this.store.status().tables().all()).as("nothing is flushed for it").isZero();
		reopen();
		assertThat(this.store.assignedVersion()).isEqualTo(7);
		requireFound(MOVED, kept);
		assertThat(this.store.status().tables().cleanupBytes()).isZero();
	}

	@Test
	void entriesOnTheirWayCountAsBefore() {
		for (int round = 0; round < 20; round++) {
			List<CompletableFuture<ApplyResult>> before = new ArrayList<>();
			for (int i = 0; i < 5; i++) {
				before.add(this.store.apply(MOVED, entry(10 + i, (i == 2) ? 100 : 200_000), Runnable::run));
			}
			await(this.store.assign(gain(2 + round)));
			before.forEach(TestStores::await);
			requireFound(MOVED, null);
		}
	}

	@Test
	void arrivalsDuringALossAreNotFound() {
		for (int round = 0; round < 20; round++) {
			CompletableFuture<Void> assigned = this.store.assign(loss(2 + 2 * round));
			List<CompletableFuture<ApplyResult>> during = new ArrayList<>();
			for (int i = 0; !assigned.isDone() && i < 1000; i++) {
				during.add(this.store.apply(MOVED, entry(10 + i, 10), Runnable::run));
			}
			await(assigned);
			during.forEach(TestStores::await);
			requireFound(MOVED, null);
			if (round % 2 == 0) {
				await(this.store.flush());
				requireFound(MOVED, null);
			}
			await(this.store.assign(gain(3 + 2 * round)));
			requireFound(MOVED, null);
		}
	}

	@Test
	void aMergeThatIsUnderWayBringsNothingBack() {
		for (int round = 0; round < 5; round++) {
			Set<Integer> lost = new HashSet<>();
			Set<Key> kept = new TreeSet<>();
			for (int i = 0; i < 4000; i++) {
				Key key = Key.of("round%d key%d".formatted(round, i));
				var _ = this.store.apply(key, entry(10, 300), Runnable::run);
				kept.add(key);
				if (i % 2 == 0) {
					lost.add(Partitions.of(key));
				}
				if (i % 1000 == 999) {
					await(this.store.flush());
				}
			}
			await(this.store.assign(new ShareChange(2 + 2 * round, Set.of(), lost)));
			await(this.store.compacted());
			kept.removeIf((key) -> lost.contains(Partitions.of(key)));
			assertThat(await(this.store.page(Key.of("r"), null, new PageLimit(10_000, 1 << 24, 10_000), Runnable::run))
				.records()).extracting(ScanPage.Item::key).containsExactlyElementsOf(kept);
			await(this.store.assign(new ShareChange(3 + 2 * round, all(), Set.of())));
		}
	}

	private static Set<Integer> all() {
		return IntStream.range(0, Partitions.COUNT).boxed().collect(Collectors.toSet());
	}

	@Test
	void largeValuesGoWithTheirEntries() throws IOException {
		put(MOVED, 10, 300_000);
		await(this.store.flush());
		put(MOVED, 11, 300_000);
		put(KEPT, 10);
		await(this.store.assign(loss(2)));
		await(this.store.flush());
		await(this.store.compacted());
		reopen();
		assertThat(Manifest.read(this.directory).tables().values())
			.allMatch((meta) -> meta.summary().valueBytes().isEmpty());
		try (Stream<Path> files = Files.list(this.directory.resolve("values"))) {
			assertThat(files).isEmpty();
		}
		assertThat(this.store.status().tables().cleanupBytes()).isZero();
	}

	@Test
	void tablesAreCleanedOneByOneAfterALoss() throws IOException {
		Random random = new Random(1);
		do {
			for (int i = 0; i < 500; i++) {
				byte[] value = new byte[4000];
				random.nextBytes(value);
				TestStores.applyWithRoom(this.store, Key.of("key" + random.nextInt(10_000)),
						new Entry.Live(Timestamp.ofMillis(10), 1, Entry.NEVER, Value.wrap(value)));
			}
			await(this.store.flush());
			await(this.store.compacted());
		}
		while (Manifest.read(this.directory).tables().size() < runs().count() + 2);
		assertThat(this.store.status().tables().cleanupBytes()).isZero();
		long runs = runs().count();
		Set<Long> before = Manifest.read(this.directory).tables().keySet();
		await(this.store.assign(loss(2)));
		await(this.store.compacted());
		assertThat(this.store.status().tables().cleanupBytes()).isZero();
		assertThat(Manifest.read(this.directory).tables().keySet()).doesNotContainAnyElementsOf(before);
		assertThat(runs()).as("they stay in their runs").hasSize((int) runs);
		await(this.store.assign(gain(3)));
		assertThat(this.store.status().tables().cleanupBytes()).as("what was lost is in no table").isZero();
	}

	private Stream<Long> runs() throws IOException {
		return Manifest.read(this.directory).tables().values().stream().map(TableMeta::run).distinct();
	}

	@Test
	void aDeletionIsNotNeededForWhatIsHidden() throws IOException {
		put(MOVED, 10);
		await(this.store.flush());
		put(MOVED, 11);
		Path image = image();
		for (long floor = 0; floor < 3; floor++) {
			SharesFile.write(image, Floors.NONE.after(gain(2 + floor), floor, 7));
			try (Recovered recovered = recovered(image)) {
				View view = recovered.files().views().peek();
				assertThat(view.mayHoldOlder(MOVED, Timestamp.ofMillis(20), List.of())).isEqualTo(floor < 2);
				assertThat(view.newerThan(Timestamp.ofMillis(5), MOVED) != null).isEqualTo(floor < 2);
				assertThat(view.newerThan(Timestamp.ofMillis(5), KEPT)).isNull();
			}
		}
		SharesFile.write(image, Floors.NONE.after(loss(9), 0, 7));
		try (Recovered recovered = recovered(image)) {
			assertThat(recovered.files().views().peek().mayHoldOlder(MOVED, Timestamp.ofMillis(20), List.of()))
				.isFalse();
			assertThat(recovered.files().views().peek().newerThan(Timestamp.ofMillis(5), MOVED)).isNull();
		}
	}

	@Test
	void hiddenEntriesAreNotMergedBack() {
		put(MOVED, 10);
		Entry kept = put(KEPT, 10);
		SetAsideData aside = await(this.store.setAside());
		await(this.store.assign(gain(2)));
		assertThat(items(aside)).extracting(ScanPage.Item::key).containsExactly(KEPT);
		reopen();
		SetAsideData again = this.store.aside().orElseThrow();
		assertThat(items(again)).singleElement().satisfies((item) -> assertThat(item.entry()).isEqualTo(kept));
	}

}
