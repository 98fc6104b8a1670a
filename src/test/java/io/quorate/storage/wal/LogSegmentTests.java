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
import io.quorate.storage.file.FaultyDisk.Fault;
import io.quorate.storage.file.FaultyDisk;
import io.quorate.storage.log.Batches;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.log.SegmentHeader;
import io.quorate.storage.record.StoredEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LogSegmentTests {

	private static final int SIZE = 64 * 1024;

	@TempDir
	Path directory;

	/** Else records without a header would be no damage, but what a crash may leave. */
	@Test
	void headerIsOnTheDiskBeforeAnythingElseIsWritten() throws IOException {
		LogSegment.prepare(this.directory, 1, SIZE);
		try (LogSegment segment = LogSegment.begin(this.directory, 1, 0)) {
			assertThat(segment.isForced()).isTrue();
			assertThat(segment.forced()).isEqualTo(SegmentHeader.SIZE);
		}
		try (FaultyDisk disk = new FaultyDisk(this.directory, 1)) {
			disk.failForces((file) -> file.endsWith("000001.log"));
			disk.set(Fault.FULL_FOR_FORCES, 1);
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> LogSegment.begin(this.directory, 1, 0));
		}
	}

	@Test
	void segmentIsAsFullAsItsBatchesAreLong() throws IOException {
		LogSegment.prepare(this.directory, 1, SIZE);
		try (LogSegment segment = LogSegment.begin(this.directory, 1, 0)) {
			while (!segment.isFull(0.5)) {
				append(segment, "key");
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
			append(segment, "a");
			segment.force();
			append(segment, "b");
		}
		assertThat(replayed(5)).containsExactly("a", "b");
		assertThat(Files.size(file(5))).as("nothing was torn").isEqualTo(SIZE);
	}

	@Test
	void aReusedSegmentThatWasNeverBegunHasNoRecords() throws IOException {
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
			append(segment, "a");
			segment.force();
			end = SegmentEnd.of(file(5));
			append(segment, "torn");
			append(segment, "behind");
		}
		damage(5, end + Batches.HEADER);
		assertThat(replayed(5)).containsExactly("a");
		assertThat(Files.size(file(5))).isEqualTo(end);
	}

	@Test
	void damageBeforeTheFsyncedLengthOfAReusedSegmentRefusesTheStart() throws IOException {
		writeOlder();
		LogSegment.reuse(this.directory, 1, 5);
		try (LogSegment segment = LogSegment.begin(this.directory, 5, 0)) {
			append(segment, "forced");
			segment.force();
			append(segment, "b");
		}
		damage(5, SegmentHeader.SIZE + Batches.HEADER);
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> replayed(5))
			.withMessageContaining("000005.log is damaged at offset 1024");
	}

	/** A mark is all that tells damage of the last batch from a torn tail. */
	@Test
	void damageOfTheLastBatchRefusesTheStartOnceItIsMarked() throws IOException {
		LogSegment.prepare(this.directory, 1, SIZE);
		try (LogSegment segment = LogSegment.begin(this.directory, 1, 0)) {
			append(segment, "last");
			assertThat(segment.isMarked()).as("nothing is forced").isTrue();
			segment.force();
			assertThat(segment.isMarked()).isFalse();
			segment.mark();
			assertThat(segment.isMarked()).isTrue();
		}
		damage(1, SegmentHeader.SIZE + Batches.HEADER);
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> replayed(1))
			.withMessageContaining("000001.log is damaged at offset 1024");
	}

	private void writeOlder() throws IOException {
		LogSegment.prepare(this.directory, 1, SIZE);
		try (LogSegment segment = LogSegment.begin(this.directory, 1, 0)) {
			while (!segment.isFull(0.9)) {
				append(segment, "older");
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

	private static void append(LogSegment segment, String key) throws IOException {
		StoredEntry entry = new StoredEntry(1, new Timestamp(1, 1), Versioned.NEVER, 1,
				new StoredEntry.Inline(Value.wrap(new byte[100])));
		ByteBuffer buffer = ByteBuffer.allocate(1024).position(Batches.HEADER);
		LogFormat.writeRecord(Key.of(key), entry, buffer);
		segment.finish(buffer, 1);
		segment.append(buffer.flip());
	}

}
