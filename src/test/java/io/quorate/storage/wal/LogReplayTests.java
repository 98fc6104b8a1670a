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
import io.quorate.storage.file.ForgetfulDisk;
import io.quorate.storage.log.Batches;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.record.StoredEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The bytes on the disk after a replay has handed its records over. */
class LogReplayTests {

	@TempDir
	Path directory;

	/** The kernel has told the process before, and takes the pages to be clean. */
	@Test
	void aRecordLeftByAFailedFsyncIsOnTheDiskBeforeItIsServed() throws IOException {
		Path live = Files.createDirectories(this.directory.resolve("live"));
		Path before = this.directory.resolve("before");
		Path after = this.directory.resolve("after");
		try (ForgetfulDisk disk = new ForgetfulDisk(live, (_) -> {
		})) {
			LogSegment.prepare(live, 1, 256 * 1024);
			try (LogSegment segment = LogSegment.begin(live, 1, 0)) {
				append(segment, "forced");
				segment.force();
				append(segment, "dropped");
				disk.failNextFsync((_) -> true);
				assertThatExceptionOfType(IOException.class).isThrownBy(segment::force);
			}
			disk.afterPowerFailure(null).write(before);
			assertThat(replayed(before)).containsExactly("forced");
			assertThat(replayed(live)).containsExactly("forced", "dropped");
			disk.afterPowerFailure(null).write(after);
		}
		assertThat(replayed(after)).as("after the machine has stopped, too").containsExactly("forced", "dropped");
	}

	/** A batch is intact without the padding behind it, of which each length occurs. */
	@Test
	@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD) // it hears no interrupt
	void segmentThatIsCutInThePaddingOfItsLastBatchIsReplayed() throws IOException {
		int whole = 0;
		for (int letters = 1; letters <= Batches.ALIGNMENT; letters++) {
			for (int cut = 1; cut < Batches.ALIGNMENT; cut++) {
				Path home = Files.createDirectory(this.directory.resolve(letters + "-" + cut));
				String last = "x".repeat(letters);
				LogSegment.prepare(home, 1, 64 * 1024);
				try (LogSegment segment = LogSegment.begin(home, 1, 0)) {
					append(segment, "first");
					append(segment, last);
				}
				Path file = LogFormat.FILES.path(home, 1);
				try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
					channel.truncate(SegmentEnd.of(file) - cut);
				}
				List<String> found = replayed(home);
				assertThat(found).isIn(List.of("first"), List.of("first", last));
				assertThat(replayed(home)).as("once more").isEqualTo(found);
				whole += found.size() - 1;
			}
		}
		assertThat(whole).as("cuts that take padding alone").isEqualTo(1 + 2 + 3 + 4 + 5 + 6 + 7);
	}

	private static List<String> replayed(Path directory) throws IOException {
		List<String> keys = new ArrayList<>();
		new LogReplay(directory, (_) -> true).replay(1, (key, _) -> keys.add(key.toString()));
		return keys;
	}

	private static void append(LogSegment segment, String key) throws IOException {
		ByteBuffer batch = ByteBuffer.allocate(16 * 1024).position(Batches.HEADER);
		LogFormat.writeRecord(Key.of(key), new StoredEntry(1, new Timestamp(1, 1), Versioned.NEVER, 1,
				new StoredEntry.Inline(Value.wrap(new byte[9000]))), batch);
		segment.finish(batch, 1);
		segment.append(batch.flip());
	}

}
