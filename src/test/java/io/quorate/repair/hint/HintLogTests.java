package io.quorate.repair.hint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Lineage;
import io.quorate.entry.Value;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.log.Batches;
import io.quorate.storage.log.ForgedBytes;
import io.quorate.storage.log.SegmentHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class HintLogTests {

	private static final long MAX_BYTES = 1 << 20;

	@TempDir
	Path home;

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final HintMetrics metrics = new HintMetrics(this.registry);

	@Test
	void hintsAreGivenOutInTheOrderOfTheirArrival() throws IOException {
		try (HintLog log = open()) {
			List<Hint> hints = append(log, 0, 100);
			assertThat(log.backlogSize().count()).isEqualTo(100);
			assertThat(given(log)).isEqualTo(hints);
			assertThat(log.next()).isNull();
		}
		assertThat(this.registry.get("quorate.hints.stored").counter().count()).isEqualTo(100);
	}

	@Test
	void hintsOfEveryKindAreReadAsTheyWereWritten() throws IOException {
		List<Hint> hints = List.of(Hint.of(Key.of("d"), new Entry.Tombstone(new Timestamp(7, -8), 3)),
				Hint.of(Key.of("e"), new Entry.Live(new Timestamp(7, 8), 2, 9, Value.EMPTY)),
				Hint.of(Key.of("l"),
						new Entry.Live(new Timestamp(8, 8), 1, Entry.NEVER, Value.wrap(new byte[16 << 20]))),
				Hint.of(Key.of("c"),
						new Entry.Live(new Timestamp(8, 9), 1, Entry.NEVER, Value.EMPTY).at(new Timestamp(9, 1))),
				Hint.of(Key.of("t"), new Entry.Tombstone(new Timestamp(8, 9), 1,
						new Lineage(new Timestamp(7, 9), new Timestamp(6, 9)))),
				hint(3));
		try (HintLog log = open(64 << 20)) {
			hints.forEach(log::append);
		}
		try (HintLog log = open(64 << 20)) {
			assertThat(given(log)).isEqualTo(hints);
		}
	}

	@Test
	void anUnsettledHintIsGivenOutAgainAfterReopening() throws IOException {
		List<Hint> hints;
		try (HintLog log = open()) {
			hints = append(log, 0, 50);
			log.next();
		}
		try (HintLog log = open()) {
			append(log, 50, 50).forEach(hints::add);
			count(log);
			assertThat(log.backlogSize().count()).isEqualTo(100);
			settle(log, 20);
			assertThat(log.backlogSize().count()).isEqualTo(80);
		}
		try (HintLog log = open()) {
			count(log);
			assertThat(log.backlogSize().count()).isEqualTo(80);
			assertThat(given(log)).isEqualTo(hints.subList(20, 100));
		}
	}

	@Test
	void aPositionThatWasNotSavedOnlyHasHintsGivenOutAgain() throws IOException {
		try (HintLog log = open()) {
			List<Hint> hints = append(log, 0, 50);
			settle(log, 10);
			log.savePosition();
			settle(log, 10);
			try (HintLog again = open(copy(), MAX_BYTES)) {
				assertThat(given(again)).isEqualTo(hints.subList(10, 50));
			}
		}
	}

	@Test
	void hintsOfANewerProgramRefuseTheStart() throws IOException {
		try (HintLog log = open()) {
			append(log, 0, 5);
		}
		Path file;
		try (Stream<Path> all = Files.list(this.home)) {
			file = all.filter((path) -> path.toString().endsWith(".log")).findFirst().orElseThrow();
		}
		ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
		SegmentHeader.begun(1, 0, false).write(bytes.slice(0, SegmentHeader.SIZE));
		CRC32C crc = new CRC32C();
		crc.update(bytes.put(6, (byte) '0').put(7, (byte) '2').slice(0, 24));
		Files.write(file, bytes.putInt(24, (int) crc.getValue()).array());
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(this::open)
			.withMessageContaining(file.toString())
			.withMessageContaining("has format version 2, this program supports 1");
		assertThat(Files.readAllBytes(file)).as("nothing is changed").isEqualTo(bytes.array());
	}

	@Test
	void aDamagedPositionOnlyHasHintsGivenOutAgain() throws IOException {
		List<Hint> hints;
		try (HintLog log = open()) {
			hints = append(log, 0, 50);
			settle(log, 10);
		}
		flip(this.home.resolve(Position.FILE_NAME), 12);
		try (HintLog log = open()) {
			assertThat(given(log)).isEqualTo(hints);
		}
	}

	@Test
	void segmentsAreDeletedWhenAllTheirHintsAreSettled() throws IOException {
		try (HintLog log = open()) {
			append(log, 0, 2000);
			int files = segments().size();
			assertThat(files).isGreaterThan(2);
			settle(log, 1000);
			assertThat(segments()).hasSizeBetween(1, files - 1);
			settle(log, 1000);
			assertThat(log.next()).isNull();
			assertThat(segments()).isEmpty();
			assertThat(log.backlogSize()).isEqualTo(BacklogSize.NOTHING);
			assertThat(log.isEmpty()).isTrue();
		}
	}

	/* An old position must not be taken for one in a new segment. */
	@Test
	void numbersOfSegmentsAreNotUsedAgain() throws IOException {
		try (HintLog log = open()) {
			append(log, 0, 10);
			settle(log, 9);
			log.savePosition();
			settle(log, 1);
			log.next();
			assertThat(segments()).isEmpty();
		}
		List<Hint> hints;
		try (HintLog log = open()) {
			hints = append(log, 10, 20);
		}
		try (HintLog log = open()) {
			assertThat(given(log)).isEqualTo(hints);
		}
	}

	@Test
	void aTornTailIsNoDamage() throws IOException {
		List<Hint> hints;
		try (HintLog log = open()) {
			hints = append(log, 0, 5);
			append(log, 5, 1);
			Path segment = segments().getFirst();
			int torn = hint(5).sizeBytes();
			byte[] all = Files.readAllBytes(segment);
			for (int left = 0; left <= torn - Batches.ALIGNMENT; left++) {
				Path copy = this.home.resolve("torn" + left);
				Files.createDirectories(copy);
				byte[] part = Arrays.copyOf(all, all.length - torn + left);
				Files.write(copy.resolve(segment.getFileName()), part);
				try (HintLog again = open(copy, MAX_BYTES)) {
					assertThat(given(again)).as("%d of %d bytes", left, torn).isEqualTo(hints);
				}
			}
		}
		assertThat(dropped("damaged")).isZero();
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void damageTakesTheHintsThatItHitsAndNoOthers(long seed) throws IOException {
		Random random = new Random(seed);
		List<Hint> hints;
		try (HintLog log = open()) {
			hints = append(log, 0, 200);
		}
		int size = hint(0).sizeBytes();
		int victim = 1 + random.nextInt(198);
		flip(segments().getFirst(), SegmentHeader.SIZE + victim * size + random.nextInt(size - 8));
		hints.remove(victim);
		try (HintLog log = open()) {
			assertThat(given(log)).as("seed %d", seed).isEqualTo(hints);
		}
		assertThat(dropped("damaged")).isOne();
	}

	/** Wherever damage ends and whatever stands there: values are no hints. */
	@Test
	void aValueIsNeverTakenForAHintBehindDamage() throws IOException {
		long other = saltOfAnotherLog();
		List<Hint> hints = new ArrayList<>();
		try (HintLog log = open()) {
			for (int i = 0; i < 40; i++) {
				byte[] forged = ForgedBytes.filled(2400, forgedHint(i / 8, other));
				byte[] value = new byte[i % 8 + forged.length];
				System.arraycopy(forged, 0, value, i % 8, forged.length);
				hints.add(Hint.of(Key.of("key"),
						new Entry.Live(Timestamp.ofMillis(i), 3, Entry.NEVER, Value.wrap(value))));
				log.append(hints.getLast());
			}
		}
		byte[] whole = Files.readAllBytes(segments().getFirst());
		int at = SegmentHeader.SIZE;
		for (int i = 0; i < hints.size(); i++) {
			byte[] damaged = whole.clone();
			damaged[at] ^= 1;
			Files.write(segments().getFirst(), damaged);
			List<Hint> intact = new ArrayList<>(hints);
			intact.remove(i);
			try (HintLog log = open(copy(), MAX_BYTES)) {
				assertThat(given(log)).as("without hint %d", i).isEqualTo(intact);
			}
			at += hints.get(i).sizeBytes();
		}
	}

	/** With each salt that could be guessed. */
	private static byte[] forgedHint(int kind, long otherSalt) {
		byte[] record = ForgedBytes.record("z", 1);
		return switch (kind) {
			case 0 -> ForgedBytes.batch(0, 1, 1, 0, record);
			case 1 -> ForgedBytes.batch(1, 1, 1, 0, record);
			case 2 -> ForgedBytes.batch(otherSalt, 1, 1, 0, record);
			default -> ForgedBytes.batch(otherSalt + 1, 1, 1, 0, record);
		};
	}

	private long saltOfAnotherLog() throws IOException {
		Path directory = this.home.resolve("other");
		try (HintLog log = open(directory, MAX_BYTES)) {
			log.append(hint(0));
		}
		try (Stream<Path> files = Files.list(directory)) {
			Path segment = files.filter((file) -> file.toString().endsWith(".log")).findFirst().orElseThrow();
			return Objects.requireNonNull(SegmentHeader.of(ByteBuffer.wrap(Files.readAllBytes(segment)))).salt();
		}
	}

	@Test
	void damageBeforeWhatWasForcedIsNoTornTail() throws IOException {
		try (HintLog log = open()) {
			append(log, 0, 10);
			log.force();
			append(log, 10, 1);
		}
		Path segment = segments().getFirst();
		int size = hint(0).sizeBytes();
		byte[] all = Files.readAllBytes(segment);
		Arrays.fill(all, SegmentHeader.SIZE + 8 * size, SegmentHeader.SIZE + 10 * size, (byte) 0);
		Files.write(segment, all);
		try (HintLog log = open()) {
			assertThat(given(log)).hasSize(9);
		}
		assertThat(dropped("damaged")).isOne();
	}

	@Test
	void beyondTheBoundHintsAreDroppedAndCounted() throws IOException {
		try (HintLog log = open()) {
			int most = (int) (MAX_BYTES / hint(0).sizeBytes());
			append(log, 0, most + 100);
			assertThat(log.backlogSize().bytes()).isLessThanOrEqualTo(MAX_BYTES);
			assertThat(log.backlogSize().count() + dropped("full")).isEqualTo(most + 100);
			assertThat(dropped("full")).isBetween(100.0, 150.0);
			settle(log, most / 2);
			append(log, 0, 100);
			assertThat(dropped("full")).isLessThan(160);
		}
	}

	@Test
	void aHintThatIsTooOldIsDroppedAndCounted() throws IOException {
		try (HintLog log = open()) {
			append(log, 0, 2000);
			log.dropOlderThan(1000);
			long dropped = (long) dropped("expired");
			assertThat(dropped).isBetween(500L, 1000L);
			assertThat(log.backlogSize().count()).isEqualTo(2000 - dropped);
			assertThat(log.backlogSize().oldestMillis()).isEqualTo(dropped);
			assertThat(given(log)).first().isEqualTo(hint((int) dropped));
			log.dropOlderThan(3000);
			assertThat(log.backlogSize().count()).as("what is under way stays").isEqualTo(2000 - dropped);
		}
		try (HintLog log = open()) {
			count(log);
			log.dropOlderThan(3000);
			assertThat(log.isEmpty()).isTrue();
			assertThat(dropped("expired")).isEqualTo(2000);
		}
	}

	@Test
	void aDirectoryThatCannotBeWrittenLosesHintsAndCountsThem() throws IOException {
		try (HintLog log = open()) {
			Files.delete(this.home);
			append(log, 0, 3);
			assertThat(dropped("failed")).isEqualTo(3);
			assertThat(log.next()).isNull();
			Files.createDirectories(this.home);
			List<Hint> hints = append(log, 3, 3);
			assertThat(given(log)).isEqualTo(hints);
		}
	}

	private HintLog open() throws IOException {
		return open(MAX_BYTES);
	}

	private HintLog open(long maxBytes) throws IOException {
		return open(this.home, maxBytes);
	}

	private HintLog open(Path directory, long maxBytes) throws IOException {
		return HintLog.open(directory, maxBytes, this.metrics.peer("b"));
	}

	/** The directory as the end of the process at this moment would leave it. */
	private Path copy() throws IOException {
		Path copy = Files.createDirectories(this.home.resolve("copy"));
		try (Stream<Path> files = Files.list(this.home)) {
			for (Path file : files.filter(Files::isRegularFile).toList()) {
				Files.copy(file, copy.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
			}
		}
		return copy;
	}

	private List<Path> segments() throws IOException {
		try (Stream<Path> files = Files.list(this.home)) {
			return files.filter((file) -> file.toString().endsWith(".log")).sorted().toList();
		}
	}

	private double dropped(String reason) {
		return this.registry.get("quorate.hints.dropped").tag("reason", reason).counter().count();
	}

	private static List<Hint> append(HintLog log, int from, int count) {
		List<Hint> hints = new ArrayList<>(IntStream.range(from, from + count).mapToObj(HintLogTests::hint).toList());
		hints.forEach(log::append);
		log.flush();
		return hints;
	}

	private static void count(HintLog log) {
		boolean isMore = log.count();
		while (isMore) {
			isMore = log.count();
		}
	}

	private static List<Hint> given(HintLog log) {
		List<Hint> given = new ArrayList<>();
		for (StoredHint next = log.next(); next != null; next = log.next()) {
			given.add(next.hint());
		}
		return given;
	}

	private static void settle(HintLog log, int count) {
		for (int i = 0; i < count; i++) {
			StoredHint next = log.next();
			assertThat(next).isNotNull();
			log.settle(next);
		}
	}

	private static void flip(Path file, int at) throws IOException {
		byte[] bytes = Files.readAllBytes(file);
		bytes[at] ^= 0x10;
		Files.write(file, bytes);
	}

	/** All of one size, written a millisecond after each other. */
	private static Hint hint(int number) {
		return Hint.of(Key.of("key-%06d".formatted(number)),
				new Entry.Live(Timestamp.ofMillis(number), 3, Entry.NEVER, Value.wrap(new byte[300])));
	}

}
