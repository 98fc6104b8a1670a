package io.quorate.storage.directory;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import io.quorate.storage.StorageStartException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class DirectoryLockTests {

	@TempDir
	private Path directory;

	@Test
	void theFileHoldsTheIdOfTheProcess() {
		DirectoryLock lock = DirectoryLock.acquire(this.directory);
		assertThat(this.directory.resolve("LOCK")).hasContent(Long.toString(ProcessHandle.current().pid()));
		lock.close();
	}

	@Test
	void aSecondStoreInTheSameProcessIsRefused() {
		DirectoryLock lock = DirectoryLock.acquire(this.directory);
		assertRefusedHere(ProcessHandle.current().pid());
		assertRefusedHere(ProcessHandle.current().pid());
		lock.close();
	}

	@Test
	void anotherProcessIsRefusedAlsoAfterARefusalInThisOne() throws Exception {
		DirectoryLock lock = DirectoryLock.acquire(this.directory);
		assertRefusedHere(ProcessHandle.current().pid());
		Process other = startOther();
		assertThat(firstLine(other)).contains(this.directory.toString())
			.contains("is in use by process " + ProcessHandle.current().pid());
		assertThat(other.waitFor()).isZero();
		lock.close();
	}

	@Test
	void aDirectoryHeldByAnotherProcessIsRefusedUntilThatIsKilled() throws Exception {
		Process other = startOther();
		assertThat(firstLine(other)).isEqualTo("locked");
		assertRefusedHere(other.pid());
		other.destroyForcibly().waitFor();
		DirectoryLock.acquire(this.directory).close();
	}

	@Test
	void aLockHeldElsewhereInTheProcessIsRefusedUntilReleased() throws IOException {
		Path file = this.directory.resolve("LOCK");
		try (FileChannel other = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
			assertThat(other.lock().isValid()).isTrue();
			assertRefusedHere(ProcessHandle.current().pid());
			assertRefusedHere(ProcessHandle.current().pid());
		}
		DirectoryLock.acquire(this.directory).close();
	}

	@Test
	void theNextOneGetsTheLockAfterClosing() {
		DirectoryLock first = DirectoryLock.acquire(this.directory);
		first.close();
		DirectoryLock second = DirectoryLock.acquire(this.directory);
		first.close();
		assertRefusedHere(ProcessHandle.current().pid());
		second.close();
	}

	private void assertRefusedHere(long pid) {
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> DirectoryLock.acquire(this.directory))
			.withMessageContaining(this.directory.toString())
			.withMessageContaining(Long.toString(pid))
			.withMessageContaining("stop it first");
	}

	private Process startOther() throws IOException {
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		return new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), LockHolder.class.getName(),
				this.directory.toString())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
	}

	private static String firstLine(Process process) throws IOException {
		BufferedReader reader = process.inputReader();
		return String.valueOf(reader.readLine());
	}

}
