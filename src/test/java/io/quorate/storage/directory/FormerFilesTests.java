package io.quorate.storage.directory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;

import io.quorate.clock.TimeSource;
import io.quorate.storage.StoreOwner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class FormerFilesTests {

	/* A row of a table whose first cell is a path; its first name. */
	private static final Pattern ROW = Pattern.compile("(?m)^\\| `([A-Za-z]+)[/`]");

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
	void filesThatAreNotOfTheStoreStay() throws IOException {
		open().close();
		for (String other : List.of("my-backups/monday/tables", "backups/tuesday", "replaced/1", "lost+found")) {
			Files.createDirectories(this.directory.resolve(other));
		}
		Files.writeString(this.directory.resolve("notes.txt"), "of an operator");
		Files.writeString(this.directory.resolve("PEERS.tmp"), "half");
		FormerFiles.mark(this.directory);
		FormerFiles.setAside(this.directory, 0);
		assertThat(this.directory.resolve("my-backups/monday/tables")).isDirectory();
		assertThat(this.directory.resolve("notes.txt")).hasContent("of an operator");
		try (var present = Files.list(this.directory)) {
			assertThat(present.map((file) -> file.getFileName().toString())).containsExactlyInAnyOrder("LOCK",
					FormerFiles.ASIDE, "my-backups", "backups", "replaced", "lost+found", "notes.txt");
		}
		assertThat(only(this.directory.resolve(FormerFiles.ASIDE)).resolve("PEERS.tmp")).exists();
	}

	/* A file of the store that stayed would be that of another member afterwards. */
	@Test
	void everyFileOfTheHandbookIsMovedOrStaysOnPurpose() throws IOException {
		List<String> staying = List.of("LOCK", FormerFiles.MARK, FormerFiles.ASIDE, "RESTORING", "backups", "replaced");
		String storage = Files.readString(Path.of("src/docs/storage.md"));
		String table = storage.substring(storage.indexOf("| file | contents |"));
		List<String> names = ROW.matcher(table.substring(0, table.indexOf("\n\n")))
			.results()
			.map((row) -> row.group(1))
			.toList();
		assertThat(names).contains("NODE", "tables", "LAYOUT", "SHARES").hasSizeGreaterThan(20);
		assertThat(names)
			.allSatisfy((name) -> assertThat(FormerFiles.isOwned(name)).as(name).isEqualTo(!staying.contains(name)));
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
