package io.quorate.storage.directory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;

import io.quorate.clock.TimeSource;
import io.quorate.storage.StoreOwner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class FormerFilesTests {

	@TempDir
	private Path directory;

	private StoreDirectory open() {
		return StoreDirectory.open(this.directory, new StoreOwner("n3", "test", Map.of(), 3), TimeSource.SYSTEM,
				FutureStamps.KEPT);
	}

	@Test
	void aFormerMemberBeginsWithAnotherDirectory() throws IOException {
		UUID before;
		try (StoreDirectory first = open()) {
			first.settle();
			before = first.storageId();
			Files.createDirectories(this.directory.resolve("tables"));
			Files.writeString(this.directory.resolve("tables/1.sst"), "old");
			Files.createDirectories(this.directory.resolve("backups/monday"));
			first.abandon();
			assertThat(first.storageId()).as("until the next start").isEqualTo(before);
			assertThat(this.directory.resolve("tables/1.sst")).hasContent("old");
		}
		try (StoreDirectory second = open()) {
			assertThat(second.isNew()).isTrue();
			assertThat(second.storageId()).isNotEqualTo(before);
			assertThat(this.directory.resolve("tables")).doesNotExist();
			assertThat(this.directory.resolve("backups/monday")).isDirectory();
			assertThat(this.directory.resolve(FormerFiles.MARK)).doesNotExist();
			Path away = only(this.directory.resolve(FormerFiles.ASIDE));
			assertThat(away.resolve("tables/1.sst")).hasContent("old");
			assertThat(away.resolve(NodeIdentity.FILE_NAME)).exists();
			second.settle();
			before = second.storageId();
		}
		try (StoreDirectory third = open()) {
			assertThat(third.storageId()).as("set aside once").isEqualTo(before);
		}
	}

	@Test
	void aStartThatWasCutOffIsFollowedByOneThatGoesOn() throws IOException {
		open().close();
		FormerFiles.mark(this.directory);
		Files.writeString(this.directory.resolve("MANIFEST"), "half");
		FormerFiles.setAside(this.directory, 0);
		FormerFiles.mark(this.directory);
		Files.writeString(this.directory.resolve("PEERS"), "rest");
		FormerFiles.setAside(this.directory, 1000);
		assertThat(this.directory.resolve("PEERS")).doesNotExist();
		assertThat(this.directory.resolve("MANIFEST")).doesNotExist();
		try (var aside = Files.list(this.directory.resolve(FormerFiles.ASIDE))) {
			assertThat(aside).hasSize(2);
		}
	}

	@Test
	void aDirectoryWithoutAMarkStaysAsItIs() throws IOException {
		open().close();
		FormerFiles.setAside(this.directory, 0);
		assertThat(this.directory.resolve(NodeIdentity.FILE_NAME)).exists();
		assertThat(this.directory.resolve(FormerFiles.ASIDE)).doesNotExist();
	}

	private static Path only(Path parent) throws IOException {
		try (var children = Files.list(parent)) {
			return children.reduce((_, _) -> {
				throw new AssertionError("more than one");
			}).orElseThrow();
		}
	}

}
