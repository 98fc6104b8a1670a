package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.Promise;
import io.quorate.storage.PromiseResult;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.file.ForgetfulDisk;
import io.quorate.storage.file.ForgetfulDisk.Image;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

/** Promises in a store, over restarts, crashes and failures of the power. */
class PromisedKeysTests extends SharesFixture {

	@Test
	void aRefusedEntryIsNeverReplayed() throws IOException {
		promise(KEPT, 10);
		assertThat(apply(KEPT, 9, 10)).isEqualTo(new ApplyResult.Promised(at(10)));
		assertThat(apply(KEPT, 9, 30_000)).as("a large value").isEqualTo(new ApplyResult.Promised(at(10)));
		crash();
		requireFound(KEPT, null);
		assertThat(ballotOf(KEPT)).isEqualTo(at(10));
		assertThat(apply(KEPT, 9, 10)).isEqualTo(new ApplyResult.Promised(at(10)));
		Entry taken = put(KEPT, 10);
		assertThat(ballotOf(KEPT)).isNull();
		crash();
		requireFound(KEPT, taken);
		assertThat(ballotOf(KEPT)).isNull();
	}

	@Test
	void onlyPromisesAreComparedWithPromises() {
		put(KEPT, 20);
		assertThat(promise(KEPT, 10)).isEqualTo(new PromiseResult.Made());
		assertThat(promise(KEPT, 9)).isEqualTo(new PromiseResult.Refused(at(10)));
		assertThat(promise(KEPT, 10)).isEqualTo(new PromiseResult.Made());
		assertThat(this.store.newest()).isEqualTo(at(20));
		promise(KEPT, 30);
		assertThat(this.store.newest()).as("the clock goes on above it").isEqualTo(at(30));
	}

	@Test
	void aPromiseOutlivesTheSegmentThatItWasMadeIn() throws IOException {
		promise(KEPT, 10);
		for (int i = 0; i < 3; i++) {
			put(MOVED, i + 1);
			await(this.store.flush());
			crash();
			assertThat(ballotOf(KEPT)).isEqualTo(at(10));
			reopen();
			assertThat(apply(KEPT, 9, 10)).isEqualTo(new ApplyResult.Promised(at(10)));
		}
		Promise promise = this.store.promiseOf(KEPT);
		assertThat(promise).isNotNull();
		assertThat(promise.untilNanos() - System.nanoTime()).as("due since the start").isNotPositive();
	}

	@Test
	void aReleaseReturnsToThePromiseBefore() throws IOException {
		promise(KEPT, 10);
		promise(KEPT, 12);
		this.store.release(KEPT, at(12));
		Awaitility.await().until(() -> at(10).equals(ballotOf(KEPT)));
		await(this.store.flush());
		crash();
		assertThat(ballotOf(KEPT)).isEqualTo(at(10));
		assertThat(apply(KEPT, 9, 10)).isEqualTo(new ApplyResult.Promised(at(10)));
		this.store.release(KEPT, at(12));
		this.store.release(KEPT, at(10));
		Awaitility.await().until(() -> ballotOf(KEPT) == null);
		reopen();
		assertThat(this.store.promises()).isEmpty();
	}

	@Test
	void aPromiseOfALostPartitionGoesWithIt() {
		promise(MOVED, 10);
		promise(KEPT, 10);
		await(this.store.assign(loss(2)));
		await(this.store.flush());
		put(KEPT, 11);
		assertThat(this.store.promises()).isEmpty();
		reopen();
		assertThat(this.store.promises()).isEmpty();
	}

	/** At each change of the log, with nothing of what was not fsynced. */
	@Test
	void noFailureOfThePowerTakesAPromise() throws IOException {
		Path live = Files.createDirectory(this.root.resolve("live"));
		List<Image> images = new ArrayList<>();
		ForgetfulDisk[] disk = new ForgetfulDisk[1];
		boolean[] isMade = { false };
		disk[0] = new ForgetfulDisk(live, (step) -> {
			synchronized (images) {
				if (isMade[0] && !step.path().startsWith(live.resolve("tables"))) {
					images.add(disk[0].afterPowerFailure(null));
				}
			}
		});
		try (ForgetfulDisk _ = disk[0]) {
			try (LsmStore first = unforced(live)) {
				await(first.promise(KEPT, at(10), Deadline.none(), Runnable::run));
				synchronized (images) {
					isMade[0] = true;
					images.add(disk[0].afterPowerFailure(null));
				}
				for (int i = 0; i < 2; i++) {
					await(first.apply(MOVED, entry(i + 1, 10), Runnable::run));
					await(first.flush());
				}
			}
			try (LsmStore second = unforced(live)) {
				await(second.flush());
			}
		}
		int number = 0;
		for (Image image : images) {
			Path left = this.root.resolve("left" + number++);
			image.write(left);
			try (LsmStore opened = unforced(left)) {
				assertThat(opened.promiseOf(KEPT)).as("image %d of %d", number, images.size()).isNotNull();
				assertThat(await(opened.apply(KEPT, entry(9, 10), Runnable::run)))
					.isEqualTo(new ApplyResult.Promised(at(10)));
			}
			CrashImage.deleteTree(left);
		}
	}

	private static LsmStore unforced(Path directory) {
		return StoreOpening.open(TestStores.properties(directory, Sync.NEVER), PurgePolicy.nothing());
	}

	private PromiseResult promise(Key key, long millis) {
		CompletableFuture<PromiseResult> promised = this.store.promise(key, at(millis), Deadline.none(), Runnable::run);
		return await(promised);
	}

	private ApplyResult apply(Key key, long millis, int size) {
		return await(this.store.apply(key, entry(millis, size), Runnable::run));
	}

	private @Nullable Timestamp ballotOf(Key key) {
		Promise promise = this.store.promiseOf(key);
		return (promise != null) ? promise.ballot() : null;
	}

	private static Timestamp at(long millis) {
		return Timestamp.ofMillis(millis);
	}

}
