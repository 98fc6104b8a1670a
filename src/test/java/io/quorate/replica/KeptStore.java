package io.quorate.replica;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.Arrivals;
import io.quorate.storage.FileProgress;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.PageLimit;
import io.quorate.storage.Promise;
import io.quorate.storage.PromiseResult;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage;
import io.quorate.storage.SetAsideData;
import io.quorate.storage.ShareChange;
import io.quorate.storage.Snapshot;
import io.quorate.storage.StorageException;
import io.quorate.storage.Store;
import io.quorate.storage.StoreStatus;
import org.jspecify.annotations.Nullable;

/** A store that accepts every entry, unless the test sets another answer. */
final class KeptStore implements Store {

	final List<Entry> applied = new ArrayList<>();

	final Map<Key, Promise> promises = new HashMap<>();

	final List<Timestamp> released = new ArrayList<>();

	final List<String> pages = new ArrayList<>();

	long nanos;

	final Arrivals arrivals = new Arrivals(10, () -> this.nanos);

	ApplyResult answer = new ApplyResult.Applied(1);

	Runnable onApply = () -> {
	};

	Runnable onPromise = () -> {
	};

	Runnable onRead = () -> {
	};

	@Nullable Entry held;

	@Nullable StorageException failure;

	@Nullable CompletableFuture<ApplyResult> later;

	@Override
	public CompletableFuture<ApplyResult> apply(Key key, Entry entry, Executor callbacks) {
		this.applied.add(entry);
		this.onApply.run();
		return (this.later != null) ? this.later : answered(this.answer);
	}

	@Override
	public CompletableFuture<PromiseResult> promise(Key key, Timestamp ballot, Deadline deadline, Executor callbacks) {
		Promise standing = this.promises.get(key);
		if (standing != null && standing.ballot().isAfter(ballot)) {
			return answered(new PromiseResult.Refused(standing.ballot()));
		}
		if (this.failure == null) {
			this.promises.put(key, new Promise(key, ballot, System.nanoTime(), deadline.nanos()));
		}
		CompletableFuture<PromiseResult> made = answered(new PromiseResult.Made());
		this.onPromise.run();
		return made;
	}

	@Override
	public void release(Key key, Timestamp ballot) {
		this.released.add(ballot);
		this.promises.values().removeIf((promise) -> promise.key().equals(key) && promise.ballot().equals(ballot));
	}

	@Override
	public @Nullable Promise promiseOf(Key key) {
		return this.promises.get(key);
	}

	@Override
	public Collection<Promise> promises() {
		return List.copyOf(this.promises.values());
	}

	@Override
	public CompletableFuture<ReadResult> read(Key key, int maxValueBytes, Deadline deadline, Executor callbacks) {
		this.onRead.run();
		return answered((this.held != null) ? new ReadResult.Found(this.held) : ReadResult.Absent.INSTANCE);
	}

	private <T> CompletableFuture<T> answered(T result) {
		return (this.failure != null) ? CompletableFuture.failedFuture(this.failure)
				: CompletableFuture.completedFuture(result);
	}

	@Override
	public CompletableFuture<ScanPage> page(ScanRange range, PageLimit limit, Deadline deadline, Executor callbacks) {
		this.pages.add("page of " + range);
		return CompletableFuture.completedFuture(new ScanPage(List.of(), null));
	}

	@Override
	public CompletableFuture<HeaderPage> headers(ScanRange range, long above, PageLimit limit, Deadline deadline,
			Executor callbacks) {
		this.pages.add("headers of %s%s".formatted(range, (above != 0) ? " above " + above : ""));
		return CompletableFuture.completedFuture(new HeaderPage(List.of(), null));
	}

	@Override
	public Arrivals arrivals() {
		return this.arrivals;
	}

	@Override
	public long nanoTime() {
		return this.nanos;
	}

	@Override
	public long durableSequence() {
		return this.applied.size();
	}

	@Override
	public CompletableFuture<Void> passSequence(long sequence) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletableFuture<Void> force() {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<Void> flush() {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<SetAsideData> setAside() {
		return CompletableFuture.failedFuture(new UnsupportedOperationException());
	}

	@Override
	public CompletableFuture<Void> assign(ShareChange change) {
		return CompletableFuture.failedFuture(new UnsupportedOperationException());
	}

	@Override
	public long assignedVersion() {
		return 0;
	}

	@Override
	public CompletableFuture<Snapshot> backup(Path directory, Collection<String> records, FileProgress progress,
			Executor worker) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Optional<SetAsideData> aside() {
		return Optional.empty();
	}

	@Override
	public @Nullable StorageException failure() {
		return null;
	}

	@Override
	public StoreStatus status() {
		return new StoreStatus(new StoreStatus.Disk(0, 0), 0, new StoreStatus.Tables(0, 0, 0, 0),
				new StoreStatus.Held(0, 0));
	}

	@Override
	public void close() {
	}

}
