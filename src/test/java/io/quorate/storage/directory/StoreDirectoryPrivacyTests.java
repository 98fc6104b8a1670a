package io.quorate.storage.directory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import io.quorate.clock.TimeSource;
import io.quorate.storage.StoreOwner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/** The permissions of the directory of a store. */
@ExtendWith(OutputCaptureExtension.class)
class StoreDirectoryPrivacyTests {

	@TempDir
	private Path temporary;

	@Test
	void aNewDirectoryIsOpenToItsOwnerOnly(CapturedOutput output) throws IOException {
		Path directory = this.temporary.resolve("above/data");
		open(directory);
		assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory))).isEqualTo("rwx------");
		open(directory);
		assertThat(output).doesNotContain("is open to every user");
	}

	@Test
	void oneThatIsOpenToOthersIsSaidToBe(CapturedOutput output) throws IOException {
		Path directory = Files.createDirectory(this.temporary.resolve("data"));
		Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
		open(directory);
		assertThat(output).contains(directory + " is open to every user of this machine");
		assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory))).isEqualTo("rwxr-xr-x");
	}

	private static void open(Path directory) {
		StoreDirectory.open(directory, StoreOwner.alone("n0", "test"), TimeSource.SYSTEM, FutureStamps.KEPT).close();
	}

}
