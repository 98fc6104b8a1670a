package io.quorate.backup;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import io.quorate.storage.FileProgress;
import io.quorate.storage.StorageStartException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RestoreTests {

	/*
	 * By the first layout the node would hide what it had lost, and what it acknowledges.
	 */
	@Test
	void aWholeClusterWhoseMembersHaveChangedIsRefused(@TempDir Path home) throws IOException {
		Path snapshot = Files.createDirectory(home.resolve("snapshot"));
		Files.createFile(snapshot.resolve("SHARES"));
		Path directory = home.resolve("data");
		PrintStream out = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
		assertThatExceptionOfType(StorageStartException.class)
			.isThrownBy(
					() -> Restore.install(snapshot, new Restore.Target(directory, true, true), FileProgress.NONE, out))
			.withMessageContaining("members or replication factor have changed");
		assertThat(directory).doesNotExist();
	}

}
