package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.golden.GoldenEntry;
import io.quorate.golden.GoldenFiles;
import io.quorate.storage.FileProgress;
import io.quorate.storage.HeaderPage.Header;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.PageLimit;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StoreOwner;
import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.directory.StoreDirectory;
import io.quorate.storage.restore.Restoration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A data directory of each version, that of node {@code a} of a cluster of three. While
 * {@code c} was away, clients overwrote, deleted and added keys; then {@code a} was
 * killed. A backup in it was taken before the last write. What is in it stands in the
 * text file beside it; its timestamps are those of the replies to the clients.
 */
class GoldenDirectoriesTests {

	private static final StoreOwner OWNER = new StoreOwner("a", "golden", Map.of("a", "", "b", "", "c", ""), 3);

	/* Some seconds after the last write to any of them. */
	private static final long NOW = 1_795_440_500_000L;

	private static final PageLimit ALL = new PageLimit(10_000, 1 << 24, 1 << 20);

	private static final Key FIRST = Key.of("\0");

	private static final String AFTER_THE_BACKUP = "tail/last";

	@TempDir
	Path home;

	@ParameterizedTest
	@ValueSource(ints = 1)
	void aDirectoryOfEachVersionIsReadAndStartsAgain(int version) throws IOException {
		Path directory = GoldenFiles.unpack(version, this.home.resolve("data"));
		List<GoldenEntry> expected = GoldenEntry.of(version);
		for (int start = 1; start <= 3; start++) {
			requireEntries(directory, expected);
			assertThat(versions(directory).get("MANIFEST")).as("after a start").isEqualTo(Set.of(1));
			expected = new ArrayList<>(expected);
			expected.add(write(directory, "z" + start, highest(expected) + 1));
		}
	}

	@ParameterizedTest
	@ValueSource(ints = 1)
	void aBackupOfEachVersionIsRestored(int version) throws IOException {
		Path directory = GoldenFiles.unpack(version, this.home.resolve("data"));
		Path backup = onlyOneIn(directory.resolve("backups"));
		List<GoldenEntry> expected = GoldenEntry.of(version)
			.stream()
			.filter((entry) -> !entry.key().toString().equals(AFTER_THE_BACKUP))
			.toList();
		Restoration.verify(backup, FileProgress.NONE);
		Path restored = this.home.resolve("restored");
		Restoration.run(backup, restored, new Restoration.Options(Set.of(), false, "replaced", (_) -> {
		}), FileProgress.NONE);
		requireEntries(restored, expected);
	}

	/* Otherwise a golden directory would show less than its name says. */
	@Test
	void eachGoldenDirectoryHasTheVersionsThatItStandsFor() throws IOException {
		Map<String, Set<Integer>> first = versions(GoldenFiles.unpack(1, this.home.resolve("1")));
		assertThat(first).isEqualTo(Map.of("MANIFEST", Set.of(1), "log", Set.of(1), "sst", Set.of(1), "vlog", Set.of(1),
				"CLOCK", Set.of(1), "NODE", Set.of(1)));
	}

	@Test
	void aRecordOfTheScrubIsRead() throws IOException {
		GoldenFiles.copy("small-1/SCRUB", this.home, "SCRUB");
		assertThat(ScrubRecord.open(this.home, 0).state()).isEqualTo(scrub());
	}

	@Test
	void theRecordOfTheScrubHasTheGoldenBytes() throws IOException {
		ScrubRecord.open(this.home, 0).write(scrub());
		assertThat(this.home.resolve("SCRUB")).as(GoldenFiles.OTHER_BYTES)
			.hasBinaryContent(GoldenFiles.bytes("small-1/SCRUB"));
	}

	private static ScrubRecord.State scrub() {
		return new ScrubRecord.State(1_763_800_000_001L, 1_763_800_000_003L,
				new ScrubRecord.Pass(1_763_800_000_002L, true, 17, 5, 3));
	}

	private static void requireEntries(Path directory, List<GoldenEntry> expected) {
		try (StoreDirectory own = open(directory); LsmStore store = store(own)) {
			ScanPage page = await(store.page(FIRST, null, ALL, Runnable::run));
			assertThat(page.next()).isNull();
			assertThat(page.records())
				.isEqualTo(expected.stream().map((entry) -> new ScanPage.Item(entry.key(), entry.entry())).toList());
			HeaderPage headers = await(store.headers(FIRST, null, ALL, Runnable::run));
			assertThat(headers.headers().stream().map(Header::sequence))
				.isEqualTo(expected.stream().map(GoldenEntry::sequence).toList());
			for (GoldenEntry entry : expected) {
				assertThat(await(store.read(entry.key(), Runnable::run)))
					.isEqualTo(new ReadResult.Found(entry.entry()));
			}
			assertThat(store.durableSequence()).isEqualTo(highest(expected));
		}
	}

	private static long highest(List<GoldenEntry> entries) {
		return entries.stream().mapToLong(GoldenEntry::sequence).max().orElseThrow();
	}

	private static GoldenEntry write(Path directory, String key, long sequence) {
		Entry entry = new Entry.Live(Timestamp.ofMillis(NOW), 3, Entry.NEVER,
				Value.wrap(key.repeat(20_000).getBytes(StandardCharsets.UTF_8)));
		try (StoreDirectory own = open(directory); LsmStore store = store(own)) {
			await(store.apply(Key.of(key), entry, Runnable::run));
			await(store.flush());
		}
		return new GoldenEntry(Key.of(key), entry, sequence);
	}

	private static StoreDirectory open(Path directory) {
		return StoreDirectory.open(directory, OWNER, () -> NOW, FutureStamps.KEPT);
	}

	private static LsmStore store(StoreDirectory directory) {
		return StoreOpening.open(TestStores.properties(directory.path(), Sync.ALWAYS), PurgePolicy.nothing());
	}

	private static Path onlyOneIn(Path directory) throws IOException {
		try (Stream<Path> all = Files.list(directory)) {
			return all.reduce((one, other) -> {
				throw new IllegalStateException(one + " and " + other);
			}).orElseThrow();
		}
	}

	/* By name or ending, the versions of all live files, from their bytes. */
	private static Map<String, Set<Integer>> versions(Path directory) throws IOException {
		Map<String, Set<Integer>> versions = new TreeMap<>();
		try (Stream<Path> files = Files.walk(directory)) {
			for (Path file : files.filter(Files::isRegularFile).toList()) {
				if (directory.relativize(file).startsWith("backups")) {
					continue;
				}
				String name = String.valueOf(file.getFileName());
				String kind = name.substring(name.lastIndexOf('.') + 1);
				int version = version(kind, Files.readAllBytes(file));
				if (version > 0) {
					versions.computeIfAbsent(kind, (_) -> new HashSet<>()).add(version);
				}
			}
		}
		return versions;
	}

	private static int version(String kind, byte[] file) {
		ByteBuffer bytes = ByteBuffer.wrap(file);
		return switch (kind) {
			case "MANIFEST" -> bytes.getInt(8);
			case "CLOCK" -> bytes.getInt(4);
			case "log" -> bytes.get(7) - '0';
			case "sst" -> bytes.getInt(bytes.limit() - 36);
			case "vlog" -> bytes.getInt(8);
			case "NODE" -> formatOf(new String(file, StandardCharsets.UTF_8));
			default -> 0;
		};
	}

	private static int formatOf(String text) {
		Matcher format = Pattern.compile("(?m)^format=(\\d+)$").matcher(text);
		return format.find() ? Integer.parseInt(format.group(1)) : 0;
	}

}
