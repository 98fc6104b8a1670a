package io.quorate.storage.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.storage.log.Batches;
import io.quorate.storage.log.ForgedBytes;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.log.SegmentHeader;
import io.quorate.storage.record.StoredEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The scan of the bytes of a segment, most of which are those of clients. */
class SegmentScanTests {

	private static final int SIZE = 1 << 20;

	private static final long NUMBER = 5;

	private static final int VALUE = 16_000;

	private final byte[] older = new byte[SIZE];

	@TempDir
	Path directory;

	/** The batch ends where a forged one begins: nothing but the salt tells it. */
	@Test
	void batchOfAClientRightBehindTheLastIsNotReplayed() throws IOException {
		SegmentHeader begun = SegmentHeader.begun(NUMBER, 0, true);
		int end = written(begun, "a").length;
		place(end, ForgedBytes.batch(begun.salt() ^ 1, NUMBER, 1, end, ForgedBytes.record("z", 2)));
		assertThat(keys(scan(reusedAs(begun, "a")))).containsExactly("a");
		place(end, ForgedBytes.batch(begun.salt() ^ (1L << 63), NUMBER, 1, end, ForgedBytes.record("z", 2)));
		assertThat(keys(scan(reusedAs(begun, "a")))).containsExactly("a");
		place(end, ForgedBytes.batch(begun.salt(), NUMBER, 1, end, ForgedBytes.record("z", 2)));
		assertThat(keys(scan(reusedAs(begun, "a")))).as("whoever knew the salt could do it").containsExactly("a", "z");
	}

	@Test
	void batchesOfTheSegmentOfWhoseFileItWasMadeAreNotItsOwn() throws IOException {
		SegmentHeader before = SegmentHeader.begun(NUMBER, 0, false);
		byte[] content = reusedAs(before, "old", "older", "oldest");
		System.arraycopy(content, 0, this.older, 0, SIZE);
		SegmentHeader begun = SegmentHeader.begun(NUMBER, 0, true);
		assertThat(begun.salt()).isNotEqualTo(before.salt());
		SegmentScan scan = scan(reusedAs(begun, "new"));
		assertThat(keys(scan)).containsExactly("new");
		assertThat(scan.behind()).isEmpty();
	}

	@Test
	void segmentThatWasNeverBegunIsNotSearched() throws IOException {
		byte[] content = reusedAs(SegmentHeader.begun(NUMBER - 2, 0, true), "older");
		fill(content, 4000, ForgedBytes.batch(0, NUMBER, 0, 100, new byte[0]));
		SegmentScan scan = scan(content);
		assertThat(scan.isUnused()).isTrue();
		assertThat(scan.isLossy()).isFalse();
		assertThat(scan.work()).isZero();
	}

	/** Also where a client has sent many beginnings of batches of great length. */
	@ParameterizedTest
	@ValueSource(ints = { 16_000_000, 1_000_000, 500_000, 0 })
	void workIsLinearInTheBytesWhateverTheyAre(int length) throws IOException {
		SegmentHeader begun = SegmentHeader.begun(NUMBER, 0, true);
		fill(this.older, 2048, ByteBuffer.allocate(8).putInt(42).putInt(length).array());
		assertThat(scan(reusedAs(begun, "a")).work()).isLessThan(3L * SIZE);
		byte[] whole = reusedAs(begun, "a");
		fill(whole, 2048, ByteBuffer.allocate(8).putInt((int) (begun.salt() >>> 32)).putInt(length).array());
		assertThat(scan(whole).work()).as("even if the salt were known").isLessThan(6L * SIZE);
	}

	@Test
	void oneSectorOfAHeaderMayBeDamagedAndNotBoth() throws IOException {
		for (int sector : new int[] { 0, 512 }) {
			for (int at = 0; at < 44; at++) {
				byte[] content = reusedAs(SegmentHeader.begun(NUMBER, 7, true), "a", "b");
				content[sector + at] ^= 4;
				SegmentScan scan = scan(content);
				assertThat(keys(scan)).as("byte %d", sector + at).containsExactly("a", "b");
				content[(sector + 512) % 1024 + at] ^= 4;
				scan = scan(content);
				assertThat(scan.isLossy()).as("byte %d of both", at).isTrue();
				assertThat(scan.isUnused()).isFalse();
			}
		}
	}

	@Test
	void everythingInAHeaderIsUnderItsChecksum() {
		ByteBuffer bytes = ByteBuffer.allocate(SegmentHeader.SIZE);
		SegmentHeader header = SegmentHeader.begun(NUMBER, 7, true);
		header.write(bytes);
		assertThat(SegmentHeader.of(bytes.flip(), NUMBER)).isEqualTo(header);
		for (int bit = 0; bit < 44 * 8; bit++) {
			byte[] changed = bytes.array().clone();
			changed[bit / 8] ^= (byte) (1 << (bit % 8));
			Arrays.fill(changed, 512, 1024, (byte) 0);
			SegmentHeader read = SegmentHeader.of(ByteBuffer.wrap(changed), NUMBER);
			assertThat(read).as("bit %d", bit).isNull();
		}
	}

	/** Its header comes to the disk before its records. */
	@Test
	void recordsWithoutAHeaderAreDamage() throws IOException {
		byte[] content = reusedAs(SegmentHeader.begun(NUMBER, 0, false), "a", "b");
		Arrays.fill(content, 0, SegmentHeader.SIZE, (byte) 0);
		assertThat(scan(content).isLossy()).isTrue();
		assertThat(scan(new byte[SIZE]).isUnused()).isTrue();
	}

	@Test
	void aTornHeaderIsReadAsThatOfTheOlderOrTheNewSegment() throws IOException {
		byte[] before = reusedAs(SegmentHeader.begun(NUMBER - 2, 0, true), "older");
		byte[] after = reusedAs(SegmentHeader.begun(NUMBER, 0, true));
		byte[] first = before.clone();
		System.arraycopy(after, 0, first, 0, 512);
		byte[] second = before.clone();
		System.arraycopy(after, 512, second, 512, 512);
		for (byte[] torn : List.of(first, second)) {
			SegmentScan scan = scan(torn);
			assertThat(keys(scan)).isEmpty();
			assertThat(scan.isLossy()).isFalse();
			assertThat(scan.end()).isEqualTo(SegmentHeader.SIZE);
		}
		byte[] fresh = new byte[SIZE];
		System.arraycopy(after, 0, fresh, 0, 20);
		assertThat(scan(fresh).isUnused()).isTrue();
	}

	@Test
	void batchOfWhichTheFileHasOnlyAPartIsATornTail() {
		byte[] whole = written(SegmentHeader.begun(NUMBER, 0, false), "a", "b");
		int second = SegmentHeader.SIZE + (whole.length - SegmentHeader.SIZE) / 2;
		for (int end = second; end < whole.length; end += 501) {
			SegmentScan scan = new SegmentScan(ByteBuffer.wrap(Arrays.copyOf(whole, end)), NUMBER, 0);
			assertThat(scan.isLossy()).as("cut at %d of %d", end, whole.length).isFalse();
			assertThat(scan.end()).isEqualTo(second);
		}
	}

	@Test
	void noBatchKnowsOfBytesThatAreForcedBehindItself() throws IOException {
		SegmentHeader begun = SegmentHeader.begun(NUMBER, 0, true);
		int end = written(begun, "a").length;
		place(end, ForgedBytes.batch(begun.salt(), NUMBER, 0, 1 << 30, new byte[0]));
		SegmentScan scan = scan(reusedAs(begun, "a"));
		assertThat(scan.isLossy()).isFalse();
		assertThat(scan.forced()).isLessThanOrEqualTo(end);
	}

	private void place(int at, byte[] bytes) {
		System.arraycopy(bytes, 0, this.older, at, bytes.length);
	}

	private static void fill(byte[] content, int from, byte[] piece) {
		System.arraycopy(ForgedBytes.filled(SIZE - from, piece), 0, content, from, SIZE - from);
	}

	/** The older file with a segment over it. */
	private byte[] reusedAs(SegmentHeader header, String... keys) {
		byte[] content = this.older.clone();
		byte[] own = written(header, keys);
		System.arraycopy(own, 0, content, 0, own.length);
		return content;
	}

	private static byte[] written(SegmentHeader header, String... keys) {
		ByteBuffer bytes = ByteBuffer.allocate(SIZE);
		header.write(bytes);
		Batches batches = Batches.of(header, LogFormat.MAX_BATCH);
		long sequence = 1;
		for (String key : keys) {
			int start = bytes.position();
			bytes.position(start + Batches.HEADER);
			LogFormat.writeRecord(Key.of(key), new StoredEntry(sequence++, new Timestamp(1, 1), Versioned.NEVER, 1,
					new StoredEntry.Inline(Value.wrap(new byte[VALUE]))), bytes);
			batches.finish(bytes, start, 1, start);
		}
		return Arrays.copyOf(bytes.array(), bytes.position());
	}

	private SegmentScan scan(byte[] content) throws IOException {
		Files.write(LogFormat.FILES.path(this.directory, NUMBER), content);
		return new LogReplay(this.directory, (_) -> true).look(NUMBER,
				(bytes, _) -> new SegmentScan(ByteBuffer.allocate(SIZE).put(bytes.duplicate()).flip(), NUMBER, 0));
	}

	private List<String> keys(SegmentScan scan) throws IOException {
		List<String> keys = new ArrayList<>();
		ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(LogFormat.FILES.path(this.directory, NUMBER)));
		scan.batches().forEach((at) -> Batches.read(content, at, (key, _) -> keys.add(key.toString())));
		return keys;
	}

}
