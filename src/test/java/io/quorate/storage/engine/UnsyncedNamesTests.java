package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.ReadResult;
import io.quorate.storage.StorageException;
import io.quorate.storage.file.ForgetfulDisk.Image;
import io.quorate.storage.file.ForgetfulDisk.Step;
import io.quorate.storage.file.ForgetfulDisk;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.FileSystemUtils;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Kills a store after each change of names that its first start and some writes make, so
 * that the change may not be fsynced, and starts it again: what that start and its writes
 * rely upon has to survive a power failure.
 */
class UnsyncedNamesTests {

	private static final Key FLUSHED = Key.of("flushed");

	private static final Key LARGE = Key.of("large");

	private static final Key LATER = Key.of("later");

	@TempDir
	private Path root;

	/* Changes of names until the process is killed, negative when it is not. */
	private final AtomicInteger stepsToKill = new AtomicInteger();

	private volatile CompletableFuture<@Nullable Object> killed = new CompletableFuture<>();

	private final List<Key> owed = new ArrayList<>();

	private final List<Look> looks = new ArrayList<>();

	private volatile boolean looking;

	private @Nullable ForgetfulDisk disk;

	private record Look(Image image, List<Key> owed, Step after) {
	}

	@Test
	void aStartFsyncsTheNamesThatItReliesUpon() throws IOException {
		int kill = 0;
		while (isKilled(kill)) {
			startAgain("killed after %d changes of names".formatted(kill++));
		}
		assertThat(kill).isGreaterThan(10);
	}

	private boolean isKilled(int step) throws IOException {
		Files.createDirectories(live());
		this.owed.clear();
		this.killed = new CompletableFuture<>();
		this.stepsToKill.set(step);
		this.disk = new ForgetfulDisk(live(), this::changed);
		try (LsmStore store = open(live())) {
			write(store, FLUSHED, 100);
			// That of a dead process may never end.
			await(CompletableFuture.anyOf(store.flush(), this.killed));
			write(store, LARGE, 30_000);
		}
		catch (StorageException killed) {
			assertThat(this.stepsToKill).hasNegativeValue();
		}
		boolean isKilled = this.stepsToKill.getAndSet(-1) < 0;
		if (!isKilled) {
			disk().close();
		}
		return isKilled;
	}

	private void startAgain(String description) throws IOException {
		disk().nextProcess();
		this.looking = true;
		try (LsmStore store = open(live())) {
			requireOwed(store, description);
			write(store, LATER, 100);
			this.looking = false;
		}
		lookAtAll(description);
	}

	private void lookAtAll(String description) throws IOException {
		assertThat(this.looks).as(description).isNotEmpty();
		for (Look look : this.looks) {
			Path image = this.root.resolve("image");
			look.image.write(image);
			String after = "%s, after %s".formatted(description, look.after);
			try (LsmStore store = open(image)) {
				look.owed.forEach((key) -> requireThere(store, key, after));
			}
			catch (StorageException refused) {
				throw new AssertionError(after, refused);
			}
			FileSystemUtils.deleteRecursively(image);
		}
		this.looks.clear();
		disk().close();
		FileSystemUtils.deleteRecursively(live());
	}

	private void changed(Step made) {
		boolean isFsync = made.what().equals("fsync");
		if (made.isOfNames() && !isFsync) {
			if (this.stepsToKill.get() >= 0 && this.stepsToKill.getAndDecrement() == 0) {
				disk().killProcess();
				this.killed.complete(null);
			}
		}
		else if (this.looking && isFsync && !made.isOfNames()) {
			synchronized (this.looks) {
				this.looks.add(new Look(disk().afterPowerFailure(null), owed(), made));
			}
		}
	}

	private List<Key> owed() {
		synchronized (this.owed) {
			return List.copyOf(this.owed);
		}
	}

	private void write(LsmStore store, Key key, int sizeBytes) {
		Entry entry = new Entry.Live(Timestamp.ofMillis(1), 1, Entry.NEVER, Value.wrap(new byte[sizeBytes]));
		await(store.apply(key, entry, Runnable::run));
		synchronized (this.owed) {
			this.owed.add(key);
		}
	}

	private void requireOwed(LsmStore store, String description) {
		owed().forEach((key) -> requireThere(store, key, description));
	}

	private static void requireThere(LsmStore store, Key key, String description) {
		assertThat(await(store.read(key, Runnable::run))).as(() -> key + ", " + description)
			.isInstanceOf(ReadResult.Found.class);
	}

	private static LsmStore open(Path directory) {
		return TestStores.open(directory, () -> 0);
	}

	private Path live() {
		return this.root.resolve("store");
	}

	private ForgetfulDisk disk() {
		ForgetfulDisk made = this.disk;
		assertThat(made).isNotNull();
		return made;
	}

}
