package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.storage.DiskFullException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class DiskSpaceTests {

	private static final long GIB = 1L << 30;

	private final AtomicLong free = new AtomicLong(50 * GIB);

	@Test
	void aLargeDiskNeedsTheFixedSizeFree() throws IOException {
		DiskSpace space = space(1000 * GIB);
		read(space, GIB);
		assertThat(space.isLow()).isFalse();
		read(space, GIB - 1);
		assertThat(space.isLow()).isTrue();
	}

	@Test
	void aSmallDiskNeedsATenthFree() throws IOException {
		DiskSpace space = space(5 * GIB);
		read(space, GIB / 2);
		assertThat(space.isLow()).isFalse();
		read(space, GIB / 2 - 1);
		assertThat(space.isLow()).isTrue();
	}

	@Test
	void writesAreRefusedAsLongAsItIsLow() throws IOException {
		DiskSpace space = space(1000 * GIB);
		space.requireRoom();
		read(space, 77);
		assertThatExceptionOfType(DiskFullException.class).isThrownBy(space::requireRoom)
			.withMessageContaining("77 bytes free")
			.withMessageContaining(GIB + " required");
		read(space, 2 * GIB);
		space.requireRoom();
	}

	@Test
	void onlyARefreshAsksTheDisk() throws IOException {
		DiskSpace space = space(1000 * GIB);
		this.free.set(0);
		assertThat(space.isLow()).isFalse();
		assertThat(space.freeBytes()).isEqualTo(50 * GIB);
	}

	@Test
	void theLastReadingStandsWhenTheDiskDoesNotAnswer() throws IOException {
		DiskSpace space = space(1000 * GIB);
		read(space, 5);
		read(space, -1);
		assertThat(space.freeBytes()).isEqualTo(5);
	}

	@Test
	void aFullDiskIsToldFromABrokenOneAndLookedAtOnce() throws IOException {
		DiskSpace space = space(1000 * GIB);
		this.free.set(5);
		assertThat(space.causedBy(new IOException("Input/output error"))).isFalse();
		assertThat(space.causedBy(new IOException())).isFalse();
		assertThat(space.isLow()).isFalse();
		assertThat(space.causedBy(new IllegalStateException(new IOException("Disk quota exceeded")))).isTrue();
		assertThat(space.causedBy(new IOException("No space left on device"))).isTrue();
		assertThat(space.isLow()).isTrue();
	}

	@Test
	void theClaimOfACompactionIsUnavailableToOthersUntilItEnds() throws IOException {
		DiskSpace space = space(1000 * GIB);
		space.reserve(GIB / 4);
		read(space, 10 * GIB);
		long room = space.roomBytes();
		DiskSpace.Claim first = space.claim(6 * GIB);
		DiskSpace.Claim second = space.claim(GIB);
		assertThat(space.roomBytes()).isEqualTo(room - 7 * GIB);
		first.close();
		first.close();
		assertThat(space.roomBytes()).isEqualTo(room - GIB);
		assertThat(space.claimedBytes()).isEqualTo(GIB);
		second.close();
		assertThat(space.roomBytes()).isEqualTo(room);
	}

	@Test
	void theWrittenPartOfAClaimIsCountedByTheDiskAlone() throws IOException {
		DiskSpace space = space(1000 * GIB);
		read(space, 10 * GIB);
		long room = space.roomBytes();
		try (DiskSpace.Claim claim = space.claim(6 * GIB)) {
			this.free.addAndGet(-4 * GIB);
			claim.written(4 * GIB);
			assertThat(space.roomBytes()).isEqualTo(room - 6 * GIB);
			this.free.addAndGet(-3 * GIB);
			claim.written(7 * GIB);
			assertThat(space.claimedBytes()).as("more than was claimed").isZero();
			assertThat(space.roomBytes()).isEqualTo(room - 7 * GIB);
			this.free.addAndGet(7 * GIB);
		}
		assertThat(space.roomBytes()).as("the end asks the disk").isEqualTo(room);
	}

	@Test
	void aRealDiskAnswers(@TempDir Path directory) throws IOException {
		DiskSpace space = DiskSpace.of(directory, 1);
		assertThat(space.freeBytes()).isPositive();
		space.requireRoom();
	}

	private void read(DiskSpace space, long freeBytes) {
		this.free.set(freeBytes);
		space.refresh();
	}

	private DiskSpace space(long totalBytes) throws IOException {
		return DiskSpace.of(Path.of("data"), GIB, () -> {
			if (this.free.get() < 0) {
				throw new IOException("no answer");
			}
			return new DiskSpace.Reading(totalBytes, this.free.get());
		});
	}

}
