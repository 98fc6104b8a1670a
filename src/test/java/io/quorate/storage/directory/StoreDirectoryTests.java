package io.quorate.storage.directory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.quorate.clock.TimeSource;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.StoreOwner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class StoreDirectoryTests {

	@TempDir
	private Path path;

	@Test
	void isNewUntilItIsSettledHoweverOftenItIsOpened() {
		try (StoreDirectory first = open()) {
			assertThat(first.isNew()).isTrue();
		}
		try (StoreDirectory second = open()) {
			assertThat(second.isNew()).isTrue();
			second.settle();
			assertThat(second.isNew()).isFalse();
		}
		try (StoreDirectory third = open()) {
			assertThat(third.isNew()).isFalse();
			third.settle();
			assertThat(third.isNew()).isFalse();
		}
	}

	@Test
	void isNewWhenTheProcessEndedBeforeItHadAnIdentity() throws IOException {
		open().close();
		Files.delete(this.path.resolve("NODE"));
		try (StoreDirectory again = open()) {
			assertThat(again.isNew()).isTrue();
		}
	}

	@Test
	void oneFromBeforeTheMarkIsNotNew() throws IOException {
		open().close();
		Files.delete(this.path.resolve(StoreDirectory.NEW_FILE_NAME));
		try (StoreDirectory again = open()) {
			assertThat(again.isNew()).isFalse();
		}
	}

	@Test
	void oneWhoseIdentityIsMissingBesideDataIsNotMadeNew() throws IOException {
		open().close();
		Files.delete(this.path.resolve("NODE"));
		Files.delete(this.path.resolve(StoreDirectory.NEW_FILE_NAME));
		Files.createFile(this.path.resolve("MANIFEST"));
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(this::open);
		assertThat(this.path.resolve(StoreDirectory.NEW_FILE_NAME)).doesNotExist();
	}

	private StoreDirectory open() {
		return StoreDirectory.open(this.path, StoreOwner.alone("n0", "test"), TimeSource.SYSTEM, FutureStamps.KEPT);
	}

}
