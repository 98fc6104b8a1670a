package io.quorate.backup;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.quorate.clock.TimeSource;
import io.quorate.storage.FileProgress;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ShareChange;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.StoreOwner;
import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.directory.StoreDirectory;
import io.quorate.storage.engine.LsmStore;
import io.quorate.storage.engine.StoreOpening;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RestoreTests {

	@TempDir
	private Path home;

	/* Of a node that has adopted a version of the layout. */
	private Path backup(ShareChange adopted) throws Exception {
		Path snapshot = this.home.resolve("snapshot");
		Path data = this.home.resolve("store");
		try (StoreDirectory _ = StoreDirectory.open(data, StoreOwner.alone("n1", "test"), TimeSource.SYSTEM,
				FutureStamps.KEPT);
				LsmStore store = StoreOpening.open(new Binder(
						new MapConfigurationPropertySource(Map.of("quorate.storage.directory", data.toString())))
					.bindOrCreate("quorate.storage", StorageProperties.class), PurgePolicy.nothing())) {
			store.assign(adopted).get(20, TimeUnit.SECONDS);
			store.backup(snapshot, List.of(), FileProgress.NONE, Runnable::run).get(20, TimeUnit.SECONDS);
		}
		assertThat(snapshot.resolve("SHARES")).exists();
		return snapshot;
	}

	private Path restored(Path snapshot) throws Exception {
		Path directory = this.home.resolve("data");
		PrintStream out = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
		Restore.install(snapshot, new Restore.Target(directory, true, true), FileProgress.NONE, out);
		return directory;
	}

	/*
	 * By the first layout the node would hide what it had lost, and what it acknowledges.
	 */
	@Test
	void aWholeClusterWhoseKeysHaveMovedIsRefused() throws Exception {
		Path snapshot = backup(new ShareChange(3, Set.of(1), Set.of(2)));
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> restored(snapshot))
			.withMessageContaining("members or replication factor have changed");
		assertThat(this.home.resolve("data")).doesNotExist();
	}

	/* As one whose member has another directory: version 3 begins anew, too. */
	@Test
	void aWholeClusterWhoseKeysHaveNotMovedBeginsWithTheFirstLayout() throws Exception {
		Path directory = restored(backup(new ShareChange(3, Set.of(), Set.of())));
		assertThat(directory.resolve("NODE")).exists();
		assertThat(directory.resolve("SHARES")).doesNotExist();
	}

}
