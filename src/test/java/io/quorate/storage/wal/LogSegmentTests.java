package io.quorate.storage.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.record.StoredEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LogSegmentTests {

	private static final int SIZE = 64 * 1024;

	@TempDir
	Path directory;

	/**
	 * Else a machine that stops finds no header in it, but records in the next one, and
	 * takes it to be missing.
	 */
	@Test
	void segmentWithoutRecordsIsNotTakenToBeForced() throws IOException {
		LogSegment.prepare(this.directory, 1, SIZE);
		try (LogSegment segment = LogSegment.begin(this.directory, 1, 0)) {
			assertThat(segment.isForced()).isFalse();
			segment.force();
			assertThat(segment.isForced()).isTrue();
		}
	}

	@Test
	void segmentIsAsFullAsItsBatchesAreLong() throws IOException {
		LogSegment.prepare(this.directory, 1, SIZE);
		try (LogSegment segment = LogSegment.begin(this.directory, 1, 0)) {
			while (!segment.isFull(0.5)) {
				segment.append(batch(1, segment.forced(), "key"));
			}
			assertThat(SegmentEnd.of(file(1))).isBetween(SIZE / 2, SIZE / 2 + 1024);
			assertThat(segment.isFull(0.75)).isFalse();
		}
	}

	@Test
	void reusedSegmentHasItsOwnRecordsOnly() throws IOException {
		writeOlder();
		LogSegment.reuse(this.directory, 1, 5);
		assertThat(file(1)).doesNotExist();
		try (LogSegment segment = LogSegment.begin(this.directory, 5, 0)) {
			segment.append(batch(5, 0, "a"));
			segment.force();
			segment.append(batch(5, segment.forced(), "b"));
		}
		assertThat(replayed(5)).containsExactly("a", "b");
		assertThat(Files.size(file(5))).as("nothing was torn").isEqualTo(SIZE);
	}

	@Test
	void segmentThatWasPreparedFromAnOlderOneAndNeverBegunHasNoRecords() throws IOException {
		writeOlder();
		LogSegment.reuse(this.directory, 1, 5);
		assertThat(replayed(5)).isEmpty();
		assertThat(Files.size(file(5))).isEqualTo(SIZE);
	}

	@Test
	void tornTailOfAReusedSegmentIsCut() throws IOException {
		writeOlder();
		LogSegment.reuse(this.directory, 1, 5);
		int end;
		try (LogSegment segment = LogSegment.begin(this.directory, 5, 0)) {
			segment.append(batch(5, 0, "a"));
			segment.force();
			end = SegmentEnd.of(file(5));
			segment.append(batch(5, 0, "torn"));
			segment.append(batch(5, 0, "behind"));
		}
		damage(5, end + LogFormat.BATCH_HEADER);
		assertThat(replayed(5)).containsExactly("a");
		assertThat(Files.size(file(5))).isEqualTo(end);
	}

	@Test
	void damageBeforeWhatIsKnownToBeForcedRefusesTheStartInAReusedSegmentToo() throws IOException {
		writeOlder();
		LogSegment.reuse(this.directory, 1, 5);
		try (LogSegment segment = LogSegment.begin(this.directory, 5, 0)) {
			segment.append(batch(5, 0, "forced"));
			segment.force();
			segment.append(batch(5, segment.forced(), "b"));
		}
		damage(5, LogFormat.SEGMENT_HEADER + LogFormat.BATCH_HEADER);
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> replayed(5))
			.withMessageContaining("000005.log is damaged at offset 32");
	}

	/** A mark is all that tells damage of the last batch from a torn tail. */
	@Test
	void damageOfTheLastBatchRefusesTheStartOnceItIsMarked() throws IOException {
		LogSegment.prepare(this.directory, 1, SIZE);
		try (LogSegment segment = LogSegment.begin(this.directory, 1, 0)) {
			segment.append(batch(1, 0, "last"));
			assertThat(segment.isMarked()).as("nothing is forced").isTrue();
			segment.force();
			assertThat(segment.isMarked()).isFalse();
			segment.mark();
			assertThat(segment.isMarked()).isTrue();
		}
		damage(1, LogFormat.SEGMENT_HEADER + LogFormat.BATCH_HEADER);
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> replayed(1))
			.withMessageContaining("000001.log is damaged at offset 32");
	}

	private void writeOlder() throws IOException {
		LogSegment.prepare(this.directory, 1, SIZE);
		try (LogSegment segment = LogSegment.begin(this.directory, 1, 0)) {
			while (!segment.isFull(0.9)) {
				segment.append(batch(1, segment.forced(), "older"));
				segment.force();
			}
		}
	}

	private List<String> replayed(long number) throws IOException {
		List<String> keys = new ArrayList<>();
		new LogReplay(this.directory, (_) -> true).replay(number, (key, _) -> keys.add(key.toString()));
		return keys;
	}

	private void damage(long number, long at) throws IOException {
		try (FileChannel channel = FileChannel.open(file(number), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			ByteBuffer octet = ByteBuffer.allocate(1);
			channel.read(octet, at);
			octet.put(0, (byte) ~octet.get(0));
			channel.write(octet.flip(), at);
		}
	}

	private Path file(long number) {
		return LogFormat.FILES.path(this.directory, number);
	}

	private static ByteBuffer batch(long segment, long forced, String key) {
		StoredEntry entry = new StoredEntry(1, new Timestamp(1, 1), Versioned.NEVER, 1,
				new StoredEntry.Inline(Value.wrap(new byte[100])));
		ByteBuffer buffer = ByteBuffer.allocate(1024).position(LogFormat.BATCH_HEADER);
		LogFormat.writeRecord(Key.of(key), entry, buffer);
		LogFormat.finishBatch(buffer, 0, 1, segment, forced);
		return buffer.flip();
	}

}
