package io.quorate.storage.wal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongFunction;

import io.quorate.storage.DiskFullException;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.file.FaultyDisk.Fault;
import io.quorate.storage.file.FaultyDisk;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.log.SegmentHeader;
import io.quorate.storage.wal.SegmentSupply.Impossible;
import io.quorate.storage.wal.SegmentSupply.NotYet;
import io.quorate.storage.wal.SegmentSupply.Ready;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The preparation of the next segment of the log. */
class SegmentSupplyTests {

	private static final int SIZE = 64 * 1024;

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	@TempDir
	private static Path shared;

	@TempDir
	Path directory;

	private final Register register = new Register(this::file);

	private SegmentSupply supply;

	SegmentSupplyTests() {
		this.supply = new SegmentSupply(shared, SIZE, 1, this.register);
	}

	@AfterEach
	void close() {
		this.supply.close();
	}

	@Test
	void nextSegmentIsMadeOfTheOneThatIsGivenBack() throws IOException {
		openWithSecond();
		byte[] begin = new byte[SegmentHeader.SIZE + 1];
		begin[SegmentHeader.SIZE] = 42;
		Files.write(file(1), begin, StandardOpenOption.WRITE);
		this.supply.recycle(1);
		this.supply.turn();
		assertThat(file(1)).doesNotExist();
		assertThat(Files.readAllBytes(file(3))).hasSize(SIZE).startsWith(begin);
		assertThat(this.supply.await()).isEqualTo(new Ready(3));
	}

	@Test
	void nothingIsPreparedBeforeItIsAskedForOrGivenBack() throws IOException {
		openWithSecond();
		this.supply.turn();
		assertThat(file(3)).doesNotExist();
		this.supply.hurry();
		this.supply.turn();
		assertThat(file(3)).exists();
	}

	@Test
	void aPollWithoutASegmentHasOnePreparedForTheNext() throws IOException {
		openWithSecond();
		assertThat(this.supply.poll()).isEqualTo(new NotYet());
		this.supply.turn();
		assertThat(file(3)).exists();
		assertThat(this.supply.poll()).isEqualTo(new Ready(3));
	}

	@Test
	void oneIsKeptTheOthersAreDeleted() throws IOException {
		openWithSecond();
		this.supply.hurry();
		this.supply.turn();
		this.supply.recycle(1);
		assertThat(file(1)).as("kept for 4").exists();
		this.supply.recycle(2);
		assertThat(file(2)).doesNotExist();
		assertThat(this.supply.await()).isEqualTo(new Ready(3));
		this.supply.turn();
		assertThat(file(4)).exists();
		assertThat(file(1)).doesNotExist();
	}

	@Test
	void aSegmentOfAnotherSizeIsDeletedInsteadOfReused() throws IOException {
		openWithSecond();
		Files.write(file(1), new byte[SIZE / 2]);
		this.supply.recycle(1);
		assertThat(file(1)).doesNotExist();
	}

	@Test
	void noSegmentIsMadeOfAFileWithADamagedHeader() throws IOException {
		openWithSecond();
		Files.write(file(1), new byte[] { 42 }, StandardOpenOption.WRITE);
		this.supply.recycle(1);
		assertThat(file(1)).doesNotExist();
		byte[] prepared = Arrays.copyOf(new byte[] { 42 }, SIZE);
		Path otherDirectory = Files.createDirectories(this.directory.resolve("other"));
		Path file = file(otherDirectory, 7);
		Files.write(file, prepared);
		try (SegmentSupply other = new SegmentSupply(otherDirectory, SIZE, 7,
				new Register((number) -> file(otherDirectory, number)))) {
			assertThat(other.takeNow()).isEqualTo(7);
			assertThat(Files.readAllBytes(file)).isEqualTo(new byte[SIZE]);
		}
	}

	@Test
	void aSegmentReturnedAfterTheCloseIsDeleted() throws IOException {
		open();
		this.supply.close();
		this.supply.recycle(1);
		assertThat(file(1)).doesNotExist();
		this.supply.recycle(1);
	}

	@Test
	void fullDiskIsToldFromABrokenOne() throws IOException {
		try (FaultyDisk disk = new FaultyDisk(this.directory, 1)) {
			open();
			disk.set(Fault.FULL, 1);
			this.supply.turn();
			assertThat(this.supply.await()).isInstanceOfSatisfying(Impossible.class,
					(impossible) -> assertThat(impossible.cause()).isInstanceOf(DiskFullException.class));
			disk.set(Fault.BROKEN, 1);
			this.supply.turn();
			assertThat(this.supply.poll()).isInstanceOfSatisfying(Impossible.class,
					(impossible) -> assertThat(impossible.cause()).isInstanceOf(StorageOverloadedException.class));
			disk.set(Fault.NONE, 0);
			this.supply.turn();
			assertThat(this.supply.poll()).isEqualTo(new Ready(2));
		}
	}

	@Test
	void noSegmentIsHandedOutBeforeItIsRecordedAndItsFileIsThere() throws IOException {
		this.register.refusal = new DiskFullException(this.directory, 0, 1);
		open();
		this.supply.turn();
		assertThat(this.supply.await()).isInstanceOfSatisfying(Impossible.class,
				(impossible) -> assertThat(impossible.cause()).isSameAs(this.register.refusal));
		Object file = Files.readAttributes(file(2), "unix:ino").get("ino");
		this.register.refusal = null;
		this.supply.turn();
		assertThat(this.supply.poll()).isEqualTo(new Ready(2));
		assertThat(Files.readAttributes(file(2), "unix:ino").get("ino")).as("it is not made twice").isEqualTo(file);
		assertThat(this.register.made).containsExactly(1L, 2L);
	}

	@Test
	void howFarSegmentsAreForcedIsRecordedInTheBackground() throws IOException {
		openWithSecond();
		this.supply.forced(Map.of(1L, 4096L));
		assertThat(this.register.forced).isEmpty();
		this.supply.turn();
		assertThat(this.register.forced).containsExactly(Map.entry(1L, 4096L));
	}

	@Test
	void theThreadTriesAgainByItselfAndIsWokenByADemand() throws IOException {
		this.register.refusal = new DiskFullException(this.directory, 0, 1);
		open();
		this.supply.start();
		assertThat(this.supply.await()).isInstanceOf(Impossible.class);
		this.register.refusal = null;
		awaitReady(2);
		awaitReady(3);
		Awaitility.await().atMost(PATIENCE).until(SegmentSupplyTests::isThreadWaiting);
		this.supply.forced(Map.of(1L, 4096L));
		Awaitility.await().atMost(PATIENCE).until(() -> this.register.forced.containsKey(1L));
	}

	/** Remembers what is recorded, and that its file was there. */
	private static final class Register implements SegmentRegister {

		private final LongFunction<Path> files;

		private final List<Long> made = new CopyOnWriteArrayList<>();

		private final Map<Long, Long> forced = new ConcurrentHashMap<>();

		private volatile @Nullable StorageException refusal;

		private Register(LongFunction<Path> files) {
			this.files = files;
		}

		@Override
		public void made(long number) {
			assertThat(this.files.apply(number)).exists();
			StorageException cause = this.refusal;
			if (cause != null && number > 1) {
				throw cause;
			}
			this.made.add(number);
		}

		@Override
		public void forced(Map<Long, Long> lengths) {
			this.forced.putAll(lengths);
		}

	}

	private void openWithSecond() throws IOException {
		open();
		this.supply.turn();
		assertThat(this.supply.await()).isEqualTo(new Ready(2));
	}

	private void open() throws IOException {
		this.supply = new SegmentSupply(this.directory, SIZE, 1, this.register);
		assertThat(this.supply.takeNow()).isEqualTo(1);
	}

	private void awaitReady(long number) {
		Awaitility.await().atMost(PATIENCE).until(() -> this.supply.poll().equals(new Ready(number)));
	}

	private static boolean isThreadWaiting() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.anyMatch((its) -> its.getName().equals("storage-log-segments") && its.getState() == Thread.State.WAITING);
	}

	private Path file(long number) {
		return file(this.directory, number);
	}

	private static Path file(Path directory, long number) {
		return LogFormat.FILES.path(directory, number);
	}

}
