package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

import io.quorate.clock.TimeSource;
import io.quorate.clock.Timestamp;
import io.quorate.command.CommandRun;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.FileProgress;
import io.quorate.storage.Snapshot;
import io.quorate.storage.StoreOwner;
import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.directory.StoreDirectory;
import io.quorate.storage.file.HardLink;
import io.quorate.storage.restore.Restoration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

/** The progress of snapshots and of their restoration, as it is reported. */
class SnapshotProgressTests {

	private static final int LARGE = 300_000;

	/* A reader past the page cache reads whole blocks. */
	private static final long BLOCKS = 64 * 1024;

	@TempDir
	Path home;

	private final Steps taken = new Steps();

	private Snapshot snapshot;

	@BeforeEach
	void take() {
		Path data = this.home.resolve("store");
		try (StoreDirectory _ = StoreDirectory.open(data, StoreOwner.alone("n1", "test"), TimeSource.SYSTEM,
				FutureStamps.KEPT);
				ExecutorService worker = Executors.newSingleThreadExecutor();
				LsmStore store = TestStores.open(data, () -> 0)) {
			for (String key : List.of("a", "b", "c")) {
				await(store.apply(Key.of(key), new Entry.Live(new Timestamp(1, 1), 1, Entry.NEVER,
						Value.copyOf(key.repeat(LARGE).getBytes(StandardCharsets.UTF_8))), Runnable::run));
				await(store.flush());
			}
			this.snapshot = await(store.backup(this.home.resolve("snapshot"), List.of(), this.taken, worker));
		}
	}

	@Test
	void aSnapshotReportsTablesAndValues() throws IOException {
		assertThat(this.taken.ended).containsExactly(FileProgress.Step.COPY);
		assertThat(this.taken.done).isEqualTo(this.taken.all).isEqualTo(dataBytes());
	}

	private long dataBytes() throws IOException {
		long bytes = 0;
		try (Stream<Path> files = Files.walk(this.snapshot.directory())) {
			for (Path file : files.filter((path) -> path.toString().matches(".*\\.(sst|vlog)")).toList()) {
				bytes += Files.size(file);
			}
		}
		return bytes;
	}

	@Test
	void aCopyReportsEachPiece() throws IOException {
		Path file = Files.write(this.home.resolve("file"), new byte[3_000_000]);
		List<Long> pieces = new ArrayList<>();
		HardLink.copy(file, this.home.resolve("copy"), new HardLink.Copying() {

			@Override
			public void begin(long sizeBytes) {
			}

			@Override
			public void copied(long bytes) {
				pieces.add(bytes);
			}

		});
		assertThat(pieces).hasSizeGreaterThan(2);
		assertThat(pieces.stream().mapToLong(Long::longValue).sum()).isEqualTo(3_000_000);
	}

	@Test
	void aRestorationReportsTheCopyAndItsVerification() throws IOException {
		Steps steps = new Steps();
		Restoration.verify(this.snapshot.directory(), steps);
		assertThat(steps.ended).containsExactly(FileProgress.Step.VERIFY);
		assertThat(steps.all).isBetween(3L * LARGE, dataBytes());
		assertThat(steps.done).isBetween(3L * LARGE, steps.all + BLOCKS);
	}

	@Test
	void anOperatorSeesTheProgressOfARestoration() {
		String backup = this.snapshot.directory().toString();
		CommandRun verified = CommandRun.of("restore", "--verify", backup);
		assertThat(verified.err()).matches("verified \\S+ [kM]B in \\S+ s, \\S+ .?B/s; failed: 0\\R");
		assertThat(verified.out()).startsWith(backup + ", taken ").contains(", is whole: 3 entries in tables, ");
		CommandRun restored = CommandRun.of("restore", backup, this.home.resolve("restored").toString());
		assertThat(restored.exitCode()).isZero();
		assertThat(restored.err())
			.matches("copied \\S+ [kM]B in .*; failed: 0\\Rverified \\S+ [kM]B in .*; failed: 0\\R");
	}

	@Test
	void aRestoredDirectoryCanBeInspectedBeforeItsFirstStart() {
		String restored = this.home.resolve("restored").toString();
		assertThat(CommandRun.of("restore", this.snapshot.directory().toString(), restored).exitCode()).isZero();
		CommandRun inspected = CommandRun.of("inspect", "--verify", restored);
		assertThat(inspected.err()).contains("failed: 0").doesNotContain("wal");
		assertThat(inspected.out()).contains("No damage was found.");
		assertThat(inspected.exitCode()).isZero();
		assertThat(CommandRun.of("inspect", "--key", "a", restored).exitCode()).isZero();
	}

	@Test
	void anOperatorSeesThatAVerificationHasFailed() throws IOException {
		Path values;
		try (Stream<Path> files = Files.walk(this.snapshot.directory())) {
			values = files.filter((path) -> path.toString().endsWith(".vlog")).findFirst().orElseThrow();
		}
		byte[] bytes = Files.readAllBytes(values);
		bytes[bytes.length / 2]++;
		Files.write(values, bytes);
		CommandRun run = CommandRun.of("restore", "--verify", this.snapshot.directory().toString());
		assertThat(run.exitCode()).isEqualTo(1);
		assertThat(run.out()).isEmpty();
		assertThat(run.err()).matches("verified .*; failed: 1\\Rquorate: not whole: .*\\R");
	}

	/** Counts each step, and checks that they come one after the other. */
	private static final class Steps implements FileProgress {

		private final List<Step> ended = new ArrayList<>();

		private final List<Step> open = new ArrayList<>();

		private long all;

		private long done;

		@Override
		public void begin(Step step, long bytes) {
			assertThat(this.open).isEmpty();
			this.open.add(step);
			this.all = bytes;
			this.done = 0;
		}

		@Override
		public void done(long bytes) {
			this.done += bytes;
		}

		@Override
		public void end() {
			this.ended.add(this.open.removeLast());
		}

	}

}
