package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.Compression;
import io.quorate.storage.PageLimit;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage;
import io.quorate.storage.SetAsideData;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.ManifestScan;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.sstable.TableFormat;
import io.quorate.storage.values.ValueFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SetAsideDataTests {

	private static final int CUT_STEP = 5;

	private static final Key FIRST = Key.of("a");

	private static final PageLimit LIMIT = new PageLimit(7, 1 << 20, 1000);

	@TempDir
	private Path root;

	private Path directory = Path.of("");

	private final Map<Key, Entry> written = new TreeMap<>();

	private long stamps = 1000;

	private LsmStore store;

	@BeforeEach
	void prepare() {
		this.directory = this.root.resolve("store");
		this.store = open(this.directory);
	}

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void dataSetAsideLeavesTheStoreAndSurvivesARestart() {
		fill();
		long sequence = this.store.durableSequence();
		SetAsideData setAsideData = await(this.store.setAside());
		for (int start = 0; start < 2; start++) {
			assertThat(contentOf(setAsideData)).isEqualTo(this.written);
			assertThat(contentOf(this.store)).isEmpty();
			assertThat(await(this.store.read(FIRST, Runnable::run))).isEqualTo(ReadResult.Absent.INSTANCE);
			assertThat(this.store.durableSequence()).isEqualTo(sequence);
			reopen();
			setAsideData = this.store.aside().orElseThrow();
		}
		Entry older = new Entry.Live(Timestamp.ofMillis(1), 3, Entry.NEVER, Value.EMPTY);
		assertThat(await(this.store.apply(FIRST, older, Runnable::run)))
			.isEqualTo(new ApplyResult.Applied(sequence + 1));
		assertThat(contentOf(this.store)).isEqualTo(Map.of(FIRST, older));
		assertThat(setAsideData.entries()).isGreaterThanOrEqualTo(this.written.size());
		assertThat(setAsideData.sizeBytes()).isPositive();
	}

	@Test
	void largeValuesLiveAsLongAsWhatIsAside() throws IOException {
		put("large", 300_000);
		SetAsideData setAsideData = await(this.store.setAside());
		Map<Key, Entry> before = Map.copyOf(this.written);
		for (int i = 0; i < 6; i++) {
			put("large", 300_000);
			await(this.store.flush());
		}
		await(this.store.compacted());
		assertThat(contentOf(setAsideData)).isEqualTo(before);
		reopen();
		await(this.store.compacted());
		assertThat(contentOf(this.store.aside().orElseThrow())).isEqualTo(before);
		await(this.store.aside().orElseThrow().discard());
		assertThat(contentOf(this.store)).isEqualTo(this.written);
		Path kept = onlyIn(this.directory.resolve("aside"));
		assertThat(filesIn(kept)).extracting(Path::toString).anyMatch((name) -> name.endsWith(".vlog"));
	}

	@Test
	void discardedDataIsMovedAway() throws IOException {
		fill();
		SetAsideData setAsideData = await(this.store.setAside());
		// Beside them, what merges have replaced may not be deleted yet.
		Collection<TableMeta> setAside = Manifest.read(this.directory).aside().values();
		List<Path> tables = setAside.stream()
			.map((meta) -> TableFormat.FILES.path(this.directory.resolve("tables"), meta.number()))
			.toList();
		List<Path> values = setAside.stream()
			.flatMap((meta) -> meta.summary().valueBytes().keySet().stream())
			.distinct()
			.map((number) -> ValueFile.FILES.path(this.directory.resolve("values"), number))
			.toList();
		List<byte[]> contents = new ArrayList<>();
		for (Path file : Stream.concat(tables.stream(), values.stream()).toList()) {
			contents.add(Files.readAllBytes(file));
		}
		await(setAsideData.discard());
		await(setAsideData.discard());
		assertThat(this.store.aside()).isEmpty();
		assertThatExceptionOfType(StorageFailedException.class)
			.isThrownBy(() -> await(setAsideData.page(FIRST, null, LIMIT, Runnable::run)));
		long sequence = this.store.durableSequence();
		reopen();
		assertThat(this.store.aside()).isEmpty();
		assertThat(this.store.durableSequence()).isEqualTo(sequence);
		assertThat(tables).isNotEmpty().allSatisfy((file) -> assertThat(file).doesNotExist());
		assertThat(values).isNotEmpty();
		List<byte[]> kept = new ArrayList<>();
		for (Path file : filesIn(onlyIn(this.directory.resolve("aside")))) {
			kept.add(Files.readAllBytes(file));
		}
		assertThat(kept).containsExactlyInAnyOrderElementsOf(contents);
	}

	@Test
	void aPageIsWholeOrRefusedWhileItIsDiscarded() {
		fill();
		SetAsideData setAsideData = await(this.store.setAside());
		PageLimit whole = new PageLimit(1000, 1 << 22, 1000);
		List<CompletableFuture<ScanPage>> pages = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			pages.add(setAsideData.page(FIRST, null, whole, Runnable::run));
		}
		CompletableFuture<Void> discarded = setAsideData.discard();
		while (!discarded.isDone()) {
			pages.add(setAsideData.page(FIRST, null, whole, Runnable::run));
			await(pages.getLast().handle((_, _) -> true));
		}
		await(discarded);
		for (CompletableFuture<ScanPage> page : pages) {
			await(page.handle((_, _) -> true));
			if (page.isCompletedExceptionally()) {
				assertThatExceptionOfType(StorageFailedException.class).isThrownBy(() -> await(page));
			}
			else {
				assertThat(await(page).records()).hasSameSizeAs(this.written.keySet());
			}
		}
		assertThat(await(pages.getFirst()).next()).isNull();
	}

	@Test
	void aDamagedTableIsLeftOutAndKept() throws IOException {
		fill();
		// So much that nothing which comes beside it is due to be merged with it.
		put("b", 500_000);
		await(this.store.flush());
		await(this.store.compacted());
		Key whole = Key.of("in another table");
		this.store.close();
		this.store = open(this.directory);
		apply(whole, new Entry.Tombstone(Timestamp.ofMillis(++this.stamps), 3));
		await(this.store.setAside());
		this.store.close();
		List<Path> tables = filesIn(this.directory.resolve("tables"));
		Path damaged = tables.getFirst();
		byte[] bytes = Files.readAllBytes(damaged);
		bytes[bytes.length - 40] ^= 1;
		Files.write(damaged, bytes);
		this.store = open(this.directory);
		SetAsideData setAsideData = this.store.aside().orElseThrow();
		assertThat(setAsideData.unread()).isEmpty();
		Map<Key, Entry> found = contentOf(setAsideData);
		assertThat(found).containsKey(whole);
		assertThat(this.written).containsAllEntriesOf(found).hasSizeGreaterThan(found.size());
		assertThat(setAsideData.unread()).singleElement().satisfies((unread) -> {
			assertThat(unread.file()).isEqualTo(damaged);
			assertThat(unread.entries()).isPositive();
			assertThat(this.written).containsKeys(unread.smallest(), unread.largest());
		});
		await(setAsideData.discard());
		assertThat(onlyIn(this.directory.resolve("aside")).resolve(damaged.getFileName())).hasBinaryContent(bytes);
	}

	@Test
	void aPageThatGoesBadWhileItIsReadLeavesItsTableOut() throws IOException {
		for (int i = 0; i < 150; i++) {
			put("k%03d".formatted(i), 1000);
		}
		await(this.store.flush());
		this.store.close();
		Path damaged = onlyIn(this.directory.resolve("tables"));
		byte[] bytes = Files.readAllBytes(damaged);
		bytes[70_000] ^= 1;
		Files.write(damaged, bytes);
		this.store = open(this.directory);
		SetAsideData setAsideData = await(this.store.setAside());
		Map<Key, Entry> found = contentOf(setAsideData);
		assertThat(found).containsKey(Key.of("k000")).doesNotContainKey(Key.of("k149"));
		assertThat(setAsideData.unread()).hasSize(1);
	}

	@Test
	void aDamagedValueIsLeftOutAlone() throws IOException {
		put("a", 100);
		put("b", 50_000);
		put("c", 50_000);
		await(this.store.setAside());
		this.store.close();
		Path damaged = onlyIn(this.directory.resolve("values"));
		byte[] bytes = Files.readAllBytes(damaged);
		bytes[20_000] ^= 1;
		Files.write(damaged, bytes);
		this.store = open(this.directory);
		SetAsideData setAsideData = this.store.aside().orElseThrow();
		assertThat(contentOf(setAsideData)).containsOnlyKeys(Key.of("a"), Key.of("c"));
		assertThat(setAsideData.unread()).isEmpty();
	}

	@Test
	void nothingIsAsideOfAnEmptyStore() {
		SetAsideData setAsideData = await(this.store.setAside());
		assertThat(this.store.aside()).isEmpty();
		assertThat(contentOf(setAsideData)).isEmpty();
		await(setAsideData.discard());
		assertThat(this.directory.resolve("aside")).doesNotExist();
	}

	@Test
	void dataSetAsideLaterJoinsTheEarlierData() {
		put("a", 10);
		put("b", 10);
		SetAsideData first = await(this.store.setAside());
		put("b", 20);
		put("c", 20);
		SetAsideData both = await(this.store.setAside());
		assertThat(contentOf(both)).isEqualTo(this.written);
		await(first.discard());
		assertThat(contentOf(this.store.aside().orElseThrow())).containsOnlyKeys(Key.of("b"), Key.of("c"));
	}

	@Test
	void mergesThatAreUnderWayAreGivenUpAndBegunAgainLater() {
		for (int round = 0; round < 5; round++) {
			for (int i = 0; i < 40; i++) {
				put("k%d-%d".formatted(round, i), 5000);
				if (i % 5 == 4) {
					await(this.store.flush());
				}
			}
			assertThat(contentOf(await(this.store.setAside()))).isEqualTo(this.written);
			assertThat(contentOf(this.store)).isEmpty();
		}
		fill();
		await(this.store.compacted());
		assertThat(this.store.status().tables().levelZero()).isLessThan(4);
	}

	@Test
	void aCrashWhileItIsSetAsideLeavesAllOrNothing() throws IOException {
		fill();
		await(this.store.flush());
		await(this.store.compacted());
		Path manifest = this.directory.resolve("MANIFEST");
		await(this.store.setAside());
		byte[] after = Files.readAllBytes(manifest);
		ManifestScan.Edit edit = ManifestScan.of(manifest)
			.edits()
			.stream()
			.filter((each) -> !each.edit().tables().setAside().isEmpty())
			.findFirst()
			.orElseThrow();
		int end = (int) (edit.offset() + edit.sizeBytes());
		for (int length = end; length >= edit.offset(); length -= CUT_STEP) {
			Path image = image("set-aside-" + length);
			Files.write(image.resolve("MANIFEST"), Arrays.copyOf(after, length));
			try (LsmStore survivor = open(image)) {
				boolean isAside = length == end;
				assertThat(contentOf(survivor)).as("cut at %d", length).isEqualTo(isAside ? Map.of() : this.written);
				assertThat(survivor.aside().map(SetAsideDataTests::contentOf).orElse(Map.of())).as("cut at %d", length)
					.isEqualTo(isAside ? this.written : Map.of());
			}
			CrashImage.deleteTree(image);
		}
	}

	@Test
	void aCrashWhileItIsDiscardedLeavesAllOrNothing() throws IOException {
		fill();
		await(this.store.setAside());
		Path before = image("before");
		await(this.store.aside().orElseThrow().discard());
		byte[] manifest = Files.readAllBytes(this.directory.resolve("MANIFEST"));
		int lengthBefore = (int) Files.size(before.resolve("MANIFEST"));
		Path kept = onlyIn(this.directory.resolve("aside"));
		List<Path> files = filesIn(kept);
		for (int linked = 0; linked <= files.size(); linked++) {
			Path image = copyOf(before, "linked-" + linked);
			copy(files.subList(0, linked), image.resolve("aside").resolve(kept.getFileName() + ".tmp"));
			requireAside(image, 1);
		}
		Path moved = copyOf(before, "moved");
		copy(files, moved.resolve("aside").resolve(kept.getFileName()));
		requireAside(moved, 2);
		for (int length = manifest.length; length >= lengthBefore; length -= CUT_STEP) {
			Path image = copyOf(before, "edit-" + length);
			copy(files, image.resolve("aside").resolve(kept.getFileName()));
			Files.write(image.resolve("MANIFEST"), Arrays.copyOf(manifest, length));
			try (LsmStore survivor = open(image)) {
				Map<Key, Entry> found = survivor.aside().map(SetAsideDataTests::contentOf).orElse(Map.of());
				assertThat(found.isEmpty() || found.equals(this.written)).as("cut at %d", length).isTrue();
				assertThat(contentOf(survivor)).isEmpty();
				if (found.isEmpty()) {
					assertThat(filesIn(image.resolve("tables"))).isEmpty();
				}
				assertThat(filesIn(image.resolve("aside").resolve(kept.getFileName()))).hasSameSizeAs(files);
			}
			CrashImage.deleteTree(image);
		}
	}

	/** Everything is aside still, and can be discarded. */
	private void requireAside(Path image, int directories) throws IOException {
		try (LsmStore survivor = open(image)) {
			SetAsideData setAsideData = survivor.aside().orElseThrow();
			assertThat(contentOf(setAsideData)).isEqualTo(this.written);
			assertThat(contentOf(survivor)).isEmpty();
			await(setAsideData.discard());
			assertThat(survivor.aside()).isEmpty();
		}
		assertThat(filesIn(image.resolve("aside"))).hasSize(directories)
			.noneMatch((file) -> file.toString().endsWith(".tmp"));
		CrashImage.deleteTree(image);
	}

	private Path image(String name) throws IOException {
		Path image = this.root.resolve(name);
		CrashImage.take(this.directory, image);
		return image;
	}

	private Path copyOf(Path image, String name) throws IOException {
		Path copy = this.root.resolve(name);
		CrashImage.take(image, copy);
		return copy;
	}

	private static void copy(List<Path> files, Path to) throws IOException {
		Files.createDirectories(to);
		for (Path file : files) {
			Files.copy(file, to.resolve(file.getFileName()));
		}
	}

	/** In several tables and in memory, small and large. */
	private void fill() {
		for (int i = 0; i < 60; i++) {
			put("k%02d".formatted(i), 200);
			if (i % 20 == 19) {
				await(this.store.flush());
			}
		}
		put("a", 50_000);
		delete("k07");
		put("k08", 100);
		put("z", 50_000);
	}

	private void put(String key, int sizeBytes) {
		byte[] value = new byte[sizeBytes];
		Arrays.fill(value, (byte) this.stamps);
		apply(Key.of(key), new Entry.Live(Timestamp.ofMillis(++this.stamps), 3, Entry.NEVER, Value.wrap(value)));
	}

	private void delete(String key) {
		apply(Key.of(key), new Entry.Tombstone(Timestamp.ofMillis(++this.stamps), 3));
	}

	private void apply(Key key, Entry entry) {
		await(this.store.apply(key, entry, Runnable::run));
		this.written.put(key, entry);
	}

	private static Map<Key, Entry> contentOf(SetAsideData setAsideData) {
		return content((start) -> setAsideData.page(start, null, LIMIT, Runnable::run));
	}

	private static Map<Key, Entry> contentOf(LsmStore store) {
		return content((start) -> store.page(start, null, LIMIT, Runnable::run));
	}

	private static Map<Key, Entry> content(Paged paged) {
		Map<Key, Entry> content = new TreeMap<>();
		Key start = FIRST;
		while (start != null) {
			ScanPage page = await(paged.page(start));
			page.records().forEach((item) -> content.put(item.key(), item.entry()));
			start = page.next();
		}
		return content;
	}

	private static Path onlyIn(Path directory) throws IOException {
		List<Path> files = filesIn(directory);
		assertThat(files).hasSize(1);
		return files.getFirst();
	}

	private static List<Path> filesIn(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			return files.sorted().toList();
		}
	}

	private void reopen() {
		this.store.close();
		this.store = open(this.directory);
	}

	/* Damage is done at an offset that these tables are to reach. */
	private static LsmStore open(Path directory) {
		return StoreOpening.open(TestStores.properties(directory, Sync.ALWAYS, Compression.NONE),
				PurgePolicy.nothing());
	}

	@FunctionalInterface
	private interface Paged {

		CompletableFuture<ScanPage> page(Key start);

	}

}
