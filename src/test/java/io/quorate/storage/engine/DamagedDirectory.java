package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.storage.ReadResult;
import io.quorate.storage.StorageCorruptedException;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

/** A directory of a store that was killed, whose contents are known, to be damaged. */
record DamagedDirectory(Path path) {

	static final int TABLE_KEYS = 300;

	static final int LOG_KEYS = 40;

	static final int LARGE_KEYS = 5;

	private static final int VALUE_BYTES = 1000;

	private static final int LARGE_BYTES = 40_000;

	/** Of tables, log, value files and manifest, as a kill leaves them. */
	static DamagedDirectory make(Path work, Path path) throws IOException {
		try (LsmStore store = TestStores.open(work, () -> 0)) {
			write(store, "table", TABLE_KEYS / 2, 0, VALUE_BYTES);
			await(store.flush());
			write(store, "table", TABLE_KEYS, TABLE_KEYS / 2, VALUE_BYTES);
			write(store, "large", LARGE_KEYS, 0, LARGE_BYTES);
			await(store.flush());
			write(store, "log", LOG_KEYS, 0, VALUE_BYTES);
			CrashImage.take(work, path);
		}
		return new DamagedDirectory(path);
	}

	private static void write(LsmStore store, String kind, int count, int from, int bytes) {
		for (int i = from; i < count; i++) {
			await(store.apply(key(kind, i), entry(kind, i, bytes), Runnable::run));
		}
	}

	static Key key(String kind, int number) {
		return Key.of("%s-%04d".formatted(kind, number));
	}

	private static Entry entry(String kind, int number, int bytes) {
		byte[] value = new byte[bytes];
		new Random(kind.hashCode() + number).nextBytes(value);
		return new Entry.Live(Timestamp.ofMillis(number + 1), 1, Versioned.NEVER, Value.wrap(value));
	}

	/** A copy of it, with files of its own. */
	DamagedDirectory copy(Path to) throws IOException {
		CrashImage.deleteTree(to);
		try (Stream<Path> files = Files.walk(this.path)) {
			for (Path file : files.toList()) {
				Path target = to.resolve(this.path.relativize(file));
				if (Files.isDirectory(file)) {
					Files.createDirectories(target);
				}
				else {
					Files.copy(file, target);
				}
			}
		}
		return new DamagedDirectory(to);
	}

	/** The files of one kind, in order. */
	List<Path> files(String directory, String suffix) throws IOException {
		try (Stream<Path> files = Files.list(this.path.resolve(directory))) {
			return files.filter((file) -> file.toString().endsWith(suffix)).sorted().toList();
		}
	}

	static void flip(Path file, long offset) throws IOException {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			ByteBuffer one = ByteBuffer.allocate(1);
			channel.read(one, offset);
			one.put(0, (byte) (one.get(0) ^ 4));
			channel.write(one.flip(), offset);
		}
	}

	/** Where a key stands in a file first. */
	static long offsetOf(Key key, Path file) throws IOException {
		int found = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).indexOf(key.toString());
		assertThat(found).as("%s in %s", key, file).isPositive();
		return found;
	}

	/** What a store answers for each key: never anything wrong. */
	static Answers answers(LsmStore store) {
		Answers answers = new Answers(new ArrayList<>(), new ArrayList<>());
		ask(store, "table", TABLE_KEYS, VALUE_BYTES, answers);
		ask(store, "large", LARGE_KEYS, LARGE_BYTES, answers);
		ask(store, "log", LOG_KEYS, VALUE_BYTES, answers);
		return answers;
	}

	private static void ask(LsmStore store, String kind, int count, int bytes, Answers answers) {
		for (int i = 0; i < count; i++) {
			Key key = key(kind, i);
			try {
				switch (await(store.read(key, Runnable::run))) {
					case ReadResult.Found(Entry found) ->
						assertThat(found).as("%s", key).isEqualTo(entry(kind, i, bytes));
					case ReadResult.Absent _ -> answers.absent().add(key);
					case ReadResult.Summarized summarized -> throw new AssertionError(summarized);
				}
			}
			catch (StorageCorruptedException refused) {
				answers.refused().add(key);
			}
		}
	}

	/**
	 * The keys that were not answered as they were written.
	 *
	 * @param absent as if they had never been
	 * @param refused because of damage
	 */
	record Answers(List<Key> absent, List<Key> refused) {

		static final Answers ALL = new Answers(List.of(), List.of());

	}

}
