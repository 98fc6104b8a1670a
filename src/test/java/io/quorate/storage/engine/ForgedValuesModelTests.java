package io.quorate.storage.engine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.log.ForgedBytes;
import io.quorate.storage.log.SegmentHeader;
import io.quorate.storage.wal.ScanWork;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Writes values that are batches, records, headers and pages of a log: for the numbers
 * that its segments have or are going to have, with the salts of those that are over, as
 * if they had leaked, and with those that could be guessed. Kills the store and stops it,
 * at random. Each start has to succeed, find what was acknowledged and nothing else, and
 * read each byte a few times at the most. {@code -Dmodel.seed} repeats a run as far as
 * threads allow.
 */
class ForgedValuesModelTests {

	private static final int STEPS = Boolean.getBoolean("quorate.endurance") ? 20_000 : 600;

	private static final int MOST = 16 * 1024;

	@TempDir
	Path home;

	private final long seed = Long.getLong("model.seed", System.nanoTime());

	private final Random random = new Random(this.seed);

	private final Map<Key, Entry> written = new HashMap<>();

	private final List<SegmentHeader> begun = new ArrayList<>();

	private long stamps;

	@Test
	void startsSucceedAndNothingIsForgedWhateverValuesAre() throws IOException {
		Path directory = this.home.resolve("store");
		int step = 0;
		while (step < STEPS) {
			try (LsmStore store = open(directory)) {
				assertAsWritten(store, step);
				int stop = Math.min(STEPS, step + 50 + this.random.nextInt(100));
				for (; step < stop; step++) {
					look(directory);
					put(store);
					if (this.random.nextInt(40) == 0) {
						kill(directory, step);
					}
				}
			}
			assertWorkIsBounded(directory);
		}
	}

	private void kill(Path directory, int step) throws IOException {
		Path image = this.home.resolve("image");
		CrashImage.take(directory, image);
		if (this.random.nextBoolean()) {
			CrashImage.tear(image, CrashImage.tailOf(image), this.random);
		}
		assertWorkIsBounded(image);
		try (LsmStore store = open(image)) {
			assertAsWritten(store, step);
		}
	}

	private LsmStore open(Path directory) {
		try {
			return StoreOpening.open(TestStores.properties(directory, Sync.ALWAYS), PurgePolicy.alone(() -> 0));
		}
		catch (RuntimeException refused) {
			throw new AssertionError("the start is refused, seed %d".formatted(this.seed), refused);
		}
	}

	private void assertAsWritten(LsmStore store, int step) {
		this.written.forEach((key, entry) -> assertThat(await(store.read(key, Runnable::run)))
			.as("%s at step %d, seed %d", key, step, this.seed)
			.isEqualTo(new ReadResult.Found(entry)));
		assertThat(await(store.read(Key.of("z"), Runnable::run))).as("step %d, seed %d", step, this.seed)
			.isInstanceOf(ReadResult.Absent.class);
	}

	private void assertWorkIsBounded(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory.resolve("wal"))) {
			for (Path file : files.filter((each) -> each.toString().endsWith(".log")).toList()) {
				assertThat(ScanWork.of(file)).as("%s, seed %d", file, this.seed)
					.isLessThanOrEqualTo(4 * Files.size(file));
			}
		}
	}

	private void put(LsmStore store) {
		Key key = Key.of("key-" + this.random.nextInt(200));
		Entry entry = new Entry.Live(Timestamp.ofMillis(++this.stamps), 1, Versioned.NEVER, Value.wrap(value()));
		TestStores.applyWithRoom(store, key, entry);
		this.written.put(key, entry);
	}

	/** Which segments there are; all but the newest are over. */
	private void look(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory.resolve("wal"))) {
			for (Path file : files.filter((each) -> each.toString().endsWith(".log")).toList()) {
				SegmentHeader header = headerOf(file);
				if (header != null && !this.begun.contains(header)) {
					this.begun.add(header);
				}
			}
		}
		this.begun.sort(Comparator.comparingLong(SegmentHeader::number));
	}

	private static @Nullable SegmentHeader headerOf(Path file) throws IOException {
		try (InputStream bytes = Files.newInputStream(file)) {
			return SegmentHeader.of(ByteBuffer.wrap(bytes.readNBytes(SegmentHeader.SIZE)));
		}
		catch (NoSuchFileException renamed) {
			return null;
		}
	}

	private byte[] value() {
		int size = 1 + this.random.nextInt(MOST - 8);
		int shift = this.random.nextInt(8);
		byte[] pieces = pieces(size);
		byte[] value = new byte[shift + pieces.length];
		System.arraycopy(pieces, 0, value, shift, pieces.length);
		return value;
	}

	private byte[] pieces(int size) {
		long segment = this.begun.getLast().number() + this.random.nextInt(6);
		long forced = this.random.nextBoolean() ? 1L << 30 : this.random.nextInt(512 * 1024);
		byte[] record = ForgedBytes.record("z", this.random.nextInt(2000));
		long salt = guessedSalt(segment);
		return switch (this.random.nextInt(8)) {
			case 0 -> ForgedBytes.filled(size, ForgedBytes.batch(salt, segment, 1, forced, record));
			case 1 -> ForgedBytes.filled(size, ForgedBytes.batch(salt, segment, 0, forced, new byte[0]));
			case 2 -> ForgedBytes.filled(size,
					ByteBuffer.allocate(8).putInt((int) (salt >>> 32)).putInt(this.random.nextInt(1 << 20)).array());
			case 3 -> header(new SegmentHeader(segment, forced, true, salt), size);
			default -> everywhere(size, record);
		};
	}

	/** Of another segment, of none, or as if salts were counted. */
	private long guessedSalt(long segment) {
		if (this.begun.size() < 2 || this.random.nextInt(4) == 0) {
			return this.random.nextBoolean() ? 0 : segment;
		}
		SegmentHeader known = this.begun.get(this.random.nextInt(this.begun.size() - 1));
		return known.salt() + (this.random.nextInt(4) == 0 ? segment - known.number() : 0);
	}

	/** Batches for each segment that may come, one of them wherever batches begin. */
	private byte[] everywhere(int size, byte[] record) {
		ByteBuffer all = ByteBuffer.allocate(size);
		while (true) {
			long segment = this.begun.getLast().number() + this.random.nextInt(4);
			byte[] batch = ForgedBytes.batch(guessedSalt(segment), segment, 1, this.random.nextInt(256 * 1024), record);
			if (all.remaining() <= batch.length) {
				return all.array();
			}
			all.put(batch).put((byte) 0);
		}
	}

	private static byte[] header(SegmentHeader header, int size) {
		ByteBuffer page = ByteBuffer.allocate(Math.max(size, SegmentHeader.SIZE));
		header.write(page);
		return page.array();
	}

}
