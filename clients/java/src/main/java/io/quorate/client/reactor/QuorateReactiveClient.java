package io.quorate.client.reactor;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.quorate.client.ByteRange;
import io.quorate.client.CallOptions;
import io.quorate.client.Delete;
import io.quorate.client.Entity;
import io.quorate.client.Get;
import io.quorate.client.HeldLock;
import io.quorate.client.Item;
import io.quorate.client.ItemResult;
import io.quorate.client.Job;
import io.quorate.client.KeyRecord;
import io.quorate.client.Metadata;
import io.quorate.client.NodeStatus;
import io.quorate.client.OutcomeUnknownException;
import io.quorate.client.Page;
import io.quorate.client.Put;
import io.quorate.client.QuorateAsyncClient;
import io.quorate.client.RangeQuery;
import io.quorate.client.RangeRecord;
import io.quorate.client.ReadResult;
import io.quorate.client.Touch;
import io.quorate.client.Touched;
import io.quorate.client.WatchEvent;
import io.quorate.client.WatchOptions;
import io.quorate.client.Written;
import org.jspecify.annotations.Nullable;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A client of a cluster for Reactor, with the calls and the rules of the asynchronous
 * client that it adapts. A call begins with its subscription, and anew with each one; to
 * cancel the subscription ends the exchange. A write that was cancelled may have happened
 * or not. A value that is not there is an empty {@link Mono}.
 */
public final class QuorateReactiveClient implements AutoCloseable {

	private final QuorateAsyncClient client;

	private QuorateReactiveClient(QuorateAsyncClient client) {
		this.client = client;
	}

	/**
	 * Adapts an asynchronous client.
	 * @param client the client, which {@link #close()} closes
	 */
	public static QuorateReactiveClient of(QuorateAsyncClient client) {
		return new QuorateReactiveClient(client);
	}

	/**
	 * Writes bytes, also over another value.
	 * @param key the key
	 * @param value the value
	 */
	public Mono<Written> put(String key, byte[] value) {
		return put(Put.of(key, value));
	}

	/**
	 * Writes text as UTF-8, with the type {@code text/plain; charset=utf-8}, also over
	 * another value.
	 * @param key the key
	 * @param text the value
	 */
	public Mono<Written> put(String key, String text) {
		return put(Put.of(key, text));
	}

	/**
	 * Writes a value, also over another one, unless it has a condition. One that names
	 * versions, or is met by no value, lets the client repeat the write after any
	 * failure.
	 * @param put the key with its value and its condition
	 */
	public Mono<Written> put(Put put) {
		return put(put, UnaryOperator.identity());
	}

	/**
	 * Writes a value, also over another one, unless it has a condition. One that names
	 * versions, or is met by no value, lets the client repeat the write after any
	 * failure.
	 * @param put the key with its value and its condition
	 * @param changes the changes of the options of the client
	 */
	public Mono<Written> put(Put put, UnaryOperator<CallOptions> changes) {
		return Mono.fromFuture(() -> this.client.put(put, changes));
	}

	/**
	 * Deletes a value, also if there is none.
	 * @param key the key
	 */
	public Mono<Written> delete(String key) {
		return delete(key, UnaryOperator.identity());
	}

	/**
	 * Deletes a value, also if there is none.
	 * @param key the key
	 * @param changes the changes of the options of the client
	 */
	public Mono<Written> delete(String key, UnaryOperator<CallOptions> changes) {
		return delete(Delete.of(key), changes);
	}

	/**
	 * Deletes a value, if its condition holds. A condition that names versions lets the
	 * client repeat the deletion after any failure.
	 * @param delete the key with its condition
	 */
	public Mono<Written> delete(Delete delete) {
		return delete(delete, UnaryOperator.identity());
	}

	/**
	 * Deletes a value, if its condition holds. A condition that names versions lets the
	 * client repeat the deletion after any failure.
	 * @param delete the key with its condition
	 * @param changes the changes of the options of the client
	 */
	public Mono<Written> delete(Delete delete, UnaryOperator<CallOptions> changes) {
		return Mono.fromFuture(() -> this.client.delete(delete, changes));
	}

	/**
	 * Gives a value more time to live; it is empty if there is none. The value keeps its
	 * version. After any failure the next node is asked: to repeat it does no harm.
	 * @param touch the key with the time
	 */
	public Mono<Touched> touch(Touch touch) {
		return touch(touch, UnaryOperator.identity());
	}

	/**
	 * Gives a value more time to live; it is empty if there is none. The value keeps its
	 * version. After any failure the next node is asked: to repeat it does no harm.
	 * @param touch the key with the time
	 * @param changes the changes of the options of the client
	 */
	public Mono<Touched> touch(Touch touch, UnaryOperator<CallOptions> changes) {
		return Mono.fromFuture(() -> this.client.touch(touch, changes)).flatMap(Mono::justOrEmpty);
	}

	/**
	 * Returns a client with other options, over the same connections; to close either
	 * closes both.
	 * @param changes the changes of the options of the client
	 */
	public QuorateReactiveClient with(UnaryOperator<CallOptions> changes) {
		return new QuorateReactiveClient(this.client.with(changes));
	}

	/**
	 * Writes a value if there is none; it is empty if there is one. It is known in the
	 * end whether this call has written it: the write is repeated by its key until the
	 * deadline.
	 * @param put the key with its value
	 */
	public Mono<Written> putIfAbsent(Put put) {
		return Mono.fromFuture(() -> this.client.putIfAbsent(put)).flatMap(Mono::justOrEmpty);
	}

	/**
	 * Changes a value: reads it, and writes what a function makes of it, unless another
	 * one has written meanwhile. Then the function is called again with the new value,
	 * until the deadline: so it must do nothing else. It returns a {@link Put} or a
	 * {@link Delete} of the key, or {@code null} to leave it, which is empty here. A
	 * {@code Put} without a time to live keeps the expiry. What the function throws is
	 * thrown here, and nothing was written.
	 * @param key the key
	 * @param change the function from the present value to the next one
	 */
	public Mono<Written> update(String key, Function<Optional<Entity>, ? extends @Nullable Item> change) {
		return Mono.fromFuture(() -> this.client.update(key, change)).flatMap(Mono::justOrEmpty);
	}

	/**
	 * Adds to a whole number, once whatever fails meanwhile, and returns the sum. A
	 * number that is not there is 0.
	 * @param key the key
	 * @param by the number to add
	 */
	public Mono<Long> increment(String key, long by) {
		return Mono.fromFuture(() -> this.client.increment(key, by));
	}

	/**
	 * Adds to a whole number, as {@link #increment(String, long)} does. One that is there
	 * keeps its expiry.
	 * @param key the key
	 * @param by the number to add
	 * @param ttl the time to live of a number that is not there
	 */
	public Mono<Long> increment(String key, long by, Duration ttl) {
		return Mono.fromFuture(() -> this.client.increment(key, by, ttl));
	}

	/**
	 * Deletes all keys that begin with a prefix, and returns their number. What others
	 * write meanwhile stays. The deadline begins anew with each 250 keys.
	 * @param prefix the beginning of the keys
	 */
	public Mono<Long> deletePrefix(String prefix) {
		return Mono.fromFuture(() -> this.client.deletePrefix(prefix));
	}

	/**
	 * Acquires a lock, and waits for another holder until the deadline, as
	 * {@link #lock(String, Duration, Duration)} does.
	 * @param key the key, such as {@code lock:report}
	 * @param ttl the time after which the lock of a holder that has stopped ends
	 */
	public Mono<HeldLock> lock(String key, Duration ttl) {
		return Mono.fromFuture(() -> this.client.lock(key, ttl));
	}

	/**
	 * Acquires a lock, which is renewed until it is released: a key that is created once,
	 * and expires.
	 * @param key the key, such as {@code lock:report}
	 * @param ttl the time after which the lock of a holder that has stopped ends; at
	 * least 5 seconds
	 * @param wait the time to wait for another holder; with zero it does not wait
	 */
	public Mono<HeldLock> lock(String key, Duration ttl, Duration wait) {
		return Mono.fromFuture(() -> this.client.lock(key, ttl, wait));
	}

	/**
	 * Takes a job of a queue that no other worker has, without a wait, for one of three
	 * attempts, as {@link #take(String, Duration, Duration, int)} does.
	 * @param prefix the beginning of the keys of jobs
	 * @param ttl the time after which another worker begins the job of one that has
	 * stopped
	 */
	public Mono<Job> take(String prefix, Duration ttl) {
		return Mono.fromFuture(() -> this.client.take(prefix, ttl)).flatMap(Mono::justOrEmpty);
	}

	/**
	 * Takes a job of a queue, one of the first, that no other worker has; it is empty if
	 * there is none. Jobs are JSON objects under keys such as
	 * {@code jobs:mail:20261130T0800-8c2f}. One is leased by {@code lease:mail:...}, and
	 * its attempts are counted in it, as {@code {"attempt":1}}. After the last one it
	 * becomes {@code dead:mail:...}, and so does what is no JSON object.
	 * @param prefix the beginning of the keys of jobs, which has the part {@code jobs:}
	 * @param ttl the time after which another worker begins the job of one that has
	 * stopped; at least 5 seconds
	 * @param wait the time to wait for a job; the queue is looked at each second
	 * @param attempts the most attempts
	 */
	public Mono<Job> take(String prefix, Duration ttl, Duration wait, int attempts) {
		return Mono.fromFuture(() -> this.client.take(prefix, ttl, wait, attempts)).flatMap(Mono::justOrEmpty);
	}

	/**
	 * Reads a value; it is empty if there is none.
	 * @param key the key
	 */
	public Mono<Entity> get(String key) {
		return get(key, UnaryOperator.identity());
	}

	/**
	 * Reads a value; it is empty if there is none.
	 * @param key the key
	 * @param changes the changes of the options of the client
	 */
	public Mono<Entity> get(String key, UnaryOperator<CallOptions> changes) {
		return Mono.fromFuture(() -> this.client.get(key, changes)).flatMap(Mono::justOrEmpty);
	}

	/**
	 * Reads a value with conditions.
	 * @param get the key with its conditions
	 */
	public Mono<ReadResult> get(Get get) {
		return get(get, UnaryOperator.identity());
	}

	/**
	 * Reads a value with conditions.
	 * @param get the key with its conditions
	 * @param changes the changes of the options of the client
	 */
	public Mono<ReadResult> get(Get get, UnaryOperator<CallOptions> changes) {
		return Mono.fromFuture(() -> this.client.get(get, changes));
	}

	/**
	 * Reads a part of a value; it is empty if there is no value.
	 * @param key the key
	 * @param part the part
	 */
	public Mono<Entity> getPart(String key, ByteRange part) {
		return getPart(key, part, UnaryOperator.identity());
	}

	/**
	 * Reads a part of a value; it is empty if there is no value.
	 * @param key the key
	 * @param part the part
	 * @param changes the changes of the options of the client
	 */
	public Mono<Entity> getPart(String key, ByteRange part, UnaryOperator<CallOptions> changes) {
		return Mono.fromFuture(() -> this.client.getPart(key, part, changes)).flatMap(Mono::justOrEmpty);
	}

	/**
	 * Asks for a value without its bytes; it is empty if there is none.
	 * @param key the key
	 */
	public Mono<Metadata> head(String key) {
		return head(key, UnaryOperator.identity());
	}

	/**
	 * Asks for a value without its bytes; it is empty if there is none.
	 * @param key the key
	 * @param changes the changes of the options of the client
	 */
	public Mono<Metadata> head(String key, UnaryOperator<CallOptions> changes) {
		return Mono.fromFuture(() -> this.client.head(key, changes)).flatMap(Mono::justOrEmpty);
	}

	/**
	 * Does many puts, gets and deletes in one request. A batch is not atomic: each item
	 * has its own outcome. The results have the order of the items. If the answer breaks
	 * off, each write without an answer has an {@link OutcomeUnknownException}.
	 * @param items the items
	 */
	public Mono<List<ItemResult>> batch(List<? extends Item> items) {
		return batch(items, UnaryOperator.identity());
	}

	/**
	 * Does many puts, gets and deletes in one request. A batch is not atomic: each item
	 * has its own outcome. The results have the order of the items. If the answer breaks
	 * off, each write without an answer has an {@link OutcomeUnknownException}.
	 * @param items the items
	 * @param changes the changes of the options of the client
	 */
	public Mono<List<ItemResult>> batch(List<? extends Item> items, UnaryOperator<CallOptions> changes) {
		List<Item> copy = List.copyOf(items);
		return Mono.fromFuture(() -> this.client.batch(copy, changes));
	}

	/**
	 * Reads keys and values, in the order of the keys. A range that breaks off goes on at
	 * the next node, so that each record comes once and none is missing. It is no
	 * snapshot.
	 * @param query the bounds
	 */
	public Flux<RangeRecord> range(RangeQuery query) {
		return range(query, UnaryOperator.identity());
	}

	/**
	 * Reads keys and values, in the order of the keys. A range that breaks off goes on at
	 * the next node, so that each record comes once and none is missing. It is no
	 * snapshot.
	 * @param query the bounds
	 * @param changes the changes of the options of the client
	 */
	public Flux<RangeRecord> range(RangeQuery query, UnaryOperator<CallOptions> changes) {
		return Flux.defer(() -> JdkFlowAdapter.flowPublisherToFlux(this.client.range(query, changes)));
	}

	/**
	 * Reads keys without their values, as {@code range} does.
	 * @param query the bounds
	 */
	public Flux<KeyRecord> keys(RangeQuery query) {
		return keys(query, UnaryOperator.identity());
	}

	/**
	 * Reads keys without their values, as {@code range} does.
	 * @param query the bounds
	 * @param changes the changes of the options of the client
	 */
	public Flux<KeyRecord> keys(RangeQuery query, UnaryOperator<CallOptions> changes) {
		return Flux.defer(() -> JdkFlowAdapter.flowPublisherToFlux(this.client.keys(query, changes)));
	}

	/**
	 * Reads the first page of a range, complete. Its cursor leads to the rest, also in
	 * another client, at any time.
	 * @param query the bounds
	 */
	public Mono<Page<RangeRecord>> page(RangeQuery query) {
		return page(query, UnaryOperator.identity());
	}

	/**
	 * Reads the first page of a range, complete. Its cursor leads to the rest, also in
	 * another client, at any time.
	 * @param query the bounds
	 * @param changes the changes of the options of the client
	 */
	public Mono<Page<RangeRecord>> page(RangeQuery query, UnaryOperator<CallOptions> changes) {
		return Mono.fromFuture(() -> this.client.page(query, changes));
	}

	/**
	 * Reads the first page of a range without values, as {@code page} does.
	 * @param query the bounds
	 */
	public Mono<Page<KeyRecord>> keyPage(RangeQuery query) {
		return keyPage(query, UnaryOperator.identity());
	}

	/**
	 * Reads the first page of a range without values, as {@code page} does.
	 * @param query the bounds
	 * @param changes the changes of the options of the client
	 */
	public Mono<Page<KeyRecord>> keyPage(RangeQuery query, UnaryOperator<CallOptions> changes) {
		return Mono.fromFuture(() -> this.client.keyPage(query, changes));
	}

	/**
	 * Watches keys: their changes as a majority of the replicas holds them, at least the
	 * last version of each key. It goes on by itself at any node, where it was, until it
	 * is cancelled, and each subscription is a watch of its own.
	 * @param watch the keys, the beginning and the form
	 */
	public Flux<WatchEvent> watch(WatchOptions watch) {
		return watch(watch, UnaryOperator.identity());
	}

	/**
	 * Watches keys: their changes as a majority of the replicas holds them, at least the
	 * last version of each key. It goes on by itself at any node, where it was, until it
	 * is cancelled, and each subscription is a watch of its own.
	 * @param watch the keys, the beginning and the form
	 * @param changes the changes of the options of the client
	 */
	public Flux<WatchEvent> watch(WatchOptions watch, UnaryOperator<CallOptions> changes) {
		return Flux.defer(() -> JdkFlowAdapter.flowPublisherToFlux(this.client.watch(watch, changes)));
	}

	/**
	 * Asks the first node that answers for its state.
	 */
	public Mono<NodeStatus> status() {
		return status(UnaryOperator.identity());
	}

	/**
	 * Asks the first node that answers for its state.
	 * @param changes the changes of the options of the client
	 */
	public Mono<NodeStatus> status(UnaryOperator<CallOptions> changes) {
		return Mono.fromFuture(() -> this.client.status(changes));
	}

	/**
	 * Returns a client of other nodes, as {@link QuorateAsyncClient#at} does.
	 * @param endpoints the nodes; the first one is asked first
	 * @throws IllegalArgumentException if one is no URL of a node, or there is none
	 */
	public QuorateReactiveClient at(String... endpoints) {
		return new QuorateReactiveClient(this.client.at(endpoints));
	}

	/** Closes the asynchronous client. */
	@Override
	public void close() {
		this.client.close();
	}

	@Override
	public String toString() {
		return "QuorateReactiveClient[" + this.client + "]";
	}

}
