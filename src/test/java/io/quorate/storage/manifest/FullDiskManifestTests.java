package io.quorate.storage.manifest;

import java.nio.file.Path;
import java.util.List;

import io.quorate.storage.DiskFullException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.file.FaultyDisk.Fault;
import io.quorate.storage.file.FaultyDisk;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A manifest on a disk that is full, or broken. */
class FullDiskManifestTests {

	private static final VersionEdit FIRST = VersionEdit.valueFileBegun(7);

	private static final VersionEdit SECOND = VersionEdit
		.flush(List.of(TableMetas.table(1, 0, 1, "a", "m"), TableMetas.table(2, 0, 1, "n", "z")), 3, 70);

	@TempDir
	Path directory;

	private FaultyDisk disk = new FaultyDisk(Path.of("nowhere"), 1);

	@BeforeEach
	void use() {
		this.disk = new FaultyDisk(this.directory, 1);
	}

	@AfterEach
	void close() {
		this.disk.close();
	}

	@Test
	void editThatFindsNoRoomIsTakenOnceThereIsSome() {
		try (Manifest manifest = Manifest.open(this.directory)) {
			manifest.append(FIRST);
			LiveFiles before = manifest.live();
			this.disk.set(Fault.FULL, 1);
			refuses(manifest, SECOND);
			refuses(manifest, SECOND);
			manifest.requireUsable();
			assertThat(manifest.live()).isEqualTo(before);
			assertThat(reopened()).as("what a crash now would leave").isEqualTo(before);
			this.disk.set(Fault.NONE, 0);
			manifest.append(SECOND);
			assertThat(reopened()).isEqualTo(manifest.live()).isNotEqualTo(before);
		}
	}

	@Test
	void editWhoseForceFindsNoRoomIsTakenByAnotherFile() {
		try (Manifest manifest = Manifest.open(this.directory)) {
			manifest.append(FIRST);
			LiveFiles before = manifest.live();
			this.disk.failForces((file) -> file.endsWith("MANIFEST"));
			this.disk.set(Fault.FULL_FOR_FORCES, 1);
			Object file = key();
			refuses(manifest, SECOND);
			assertThat(key()).as("another file").isNotEqualTo(file);
			assertThat(reopened()).isEqualTo(before);
			this.disk.set(Fault.NONE, 0);
			manifest.append(SECOND);
			assertThat(reopened()).isEqualTo(manifest.live());
		}
	}

	@Test
	void aFailedRewriteIsRepeatedOnceThereIsSpace() {
		try (Manifest manifest = Manifest.open(this.directory)) {
			manifest.append(FIRST);
			LiveFiles before = manifest.live();
			this.disk.failForces((_) -> true);
			this.disk.set(Fault.FULL_FOR_FORCES, 1);
			assertThatExceptionOfType(StorageFailedException.class).isThrownBy(() -> manifest.append(SECOND))
				.withMessageContaining("before there is some");
			assertThatExceptionOfType(DiskFullException.class).isThrownBy(manifest::requireUsable);
			refuses(manifest, SECOND);
			this.disk.set(Fault.NONE, 0);
			manifest.requireUsable();
			assertThat(reopened()).isEqualTo(before);
			manifest.append(SECOND);
			assertThat(reopened()).isEqualTo(manifest.live());
		}
	}

	@Test
	void brokenDiskEndsItForGood() {
		try (Manifest manifest = Manifest.open(this.directory)) {
			this.disk.set(Fault.BROKEN, 1);
			assertThatExceptionOfType(StorageFailedException.class).isThrownBy(() -> manifest.append(FIRST));
			this.disk.set(Fault.NONE, 0);
			assertThatExceptionOfType(StorageFailedException.class).isThrownBy(() -> manifest.append(FIRST));
			assertThatExceptionOfType(StorageFailedException.class).isThrownBy(manifest::requireUsable);
		}
	}

	private void refuses(Manifest manifest, VersionEdit edit) {
		assertThatExceptionOfType(DiskFullException.class).isThrownBy(() -> manifest.append(edit))
			.withMessageContaining("No space left");
	}

	private LiveFiles reopened() {
		return ManifestReader.read(this.directory);
	}

	private Object key() {
		return ManifestReader.key(this.directory);
	}

}
