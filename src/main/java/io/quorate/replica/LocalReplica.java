package io.quorate.replica;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Failure.Reason;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.DiskFullException;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ReadResult;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.Store;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/** This node as a replica: its own store. */
public final class LocalReplica implements Replica {

	private static final Logger log = LoggerFactory.getLogger(LocalReplica.class);

	private final String nodeId;

	private final Store store;

	private final Supplier<Executor> callbacks;

	private final ReadGate gate;

	/**
	 * A replica over a store.
	 * @param callbacks the executor on which the outcome of what the calling thread asks
	 * for is to be told: its event loop, if it has one
	 * @param gate whether reads are answered
	 */
	public LocalReplica(String nodeId, Store store, Supplier<Executor> callbacks, ReadGate gate) {
		this.nodeId = nodeId;
		this.store = store;
		this.callbacks = callbacks;
		this.gate = gate;
	}

	@Override
	public String nodeId() {
		return this.nodeId;
	}

	@Override
	public Mono<WriteReply> apply(Key key, Entry entry, Deadline deadline) {
		if (deadline.isExpired()) {
			return Mono.just(new WriteReply.Failed(expired()));
		}
		return listen(this.store.apply(key, entry, this.callbacks.get()), LocalReplica::reply, WriteReply.Failed::new);
	}

	private static WriteReply reply(ApplyResult result) {
		return switch (result) {
			case ApplyResult.Applied _ -> new WriteReply.Applied();
			case ApplyResult.Superseded(var by) -> new WriteReply.Superseded(by);
		};
	}

	@Override
	public Mono<ReadReply> read(Key key, Deadline deadline) {
		Failure closed = deadline.isExpired() ? expired() : this.gate.closed();
		if (closed != null) {
			return Mono.just(new ReadReply.Failed(closed));
		}
		return listen(this.store.read(key, this.callbacks.get()), LocalReplica::reply, ReadReply.Failed::new);
	}

	private static ReadReply reply(ReadResult result) {
		return switch (result) {
			case ReadResult.Found(var entry) -> new ReadReply.Found(entry);
			case ReadResult.Absent _ -> new ReadReply.Absent();
		};
	}

	@Override
	public Mono<PageReply> page(Key start, @Nullable Key end, PageLimit limit, Deadline deadline) {
		Failure closed = deadline.isExpired() ? expired() : this.gate.closed();
		if (closed != null) {
			return Mono.just(new PageReply.Failed(closed));
		}
		return listen(this.store.page(start, end, limit, this.callbacks.get()), PageReply.Page::new,
				PageReply.Failed::new);
	}

	/** A future that is done already is answered on the spot. */
	private static <T, R> Mono<R> listen(CompletableFuture<T> future, Function<T, R> reply,
			Function<Failure, R> failed) {
		if (future.state() == Future.State.SUCCESS) {
			return Mono.just(reply.apply(future.resultNow()));
		}
		return Mono.fromFuture(future, true)
			.map(reply)
			.onErrorResume((cause) -> Mono.just(failed.apply(failure(cause))));
	}

	private static Failure failure(Throwable thrown) {
		Throwable cause = (thrown instanceof CompletionException && thrown.getCause() != null) ? thrown.getCause()
				: thrown;
		String detail = String.valueOf(cause.getMessage());
		return switch (cause) {
			case StorageOverloadedException _ -> new Failure(Reason.OVERLOADED, detail);
			case DiskFullException _ -> new Failure(Reason.DISK_FULL, detail);
			case StorageCorruptedException _ -> {
				log.error("A read has met damage: {}", detail);
				yield new Failure(Reason.CORRUPT, detail);
			}
			case StorageFailedException _ -> {
				log.debug("Refused by a store that has failed or is closed", cause);
				yield new Failure(Reason.FAILED, detail);
			}
			default -> {
				log.error("The store has met a fault of the program", cause);
				yield new Failure(Reason.FAILED, detail);
			}
		};
	}

	private static Failure expired() {
		return new Failure(Reason.TIMEOUT, "the deadline had passed before the work began");
	}

}
