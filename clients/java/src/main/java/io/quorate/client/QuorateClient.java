package io.quorate.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * A synchronous client of a cluster. Safe for threads.
 * <p>
 * A call goes to the node that answered last, and to the next one when that one cannot
 * answer. A read goes on after any failure. <strong>A write is repeated only if it has
 * certainly not happened</strong>: there was no connection, or the node has said so. Else
 * the call ends with an {@link OutcomeUnknownException}, unless it has the option
 * {@link CallOptions#repeatUnknown}, or a condition by which it is done once: versions of
 * {@link Put#ifMatch} and {@link Delete#ifMatch}, or {@link Put#ifAbsent}.
 * <p>
 * An interrupt of the calling thread ends a call at once, with a
 * {@link CallInterruptedException}, or with an {@link OutcomeUnknownException} if a node
 * may have the write; a batch returns the results that it has. The thread stays
 * interrupted.
 */
public final class QuorateClient implements AutoCloseable {

	private final Core core;

	QuorateClient(Core core) {
		this.core = core;
	}

	Core core() {
		return this.core;
	}

	/** Returns a builder of clients. */
	public static ClientBuilder builder() {
		return new ClientBuilder();
	}

	/**
	 * Connects to a cluster, with the defaults of all options.
	 * @param endpoints the nodes, such as {@code http://10.0.0.1:8080}
	 */
	public static QuorateClient of(String... endpoints) {
		return builder().endpoints(endpoints).build();
	}

	/**
	 * Writes bytes, also over another value.
	 * @param key the key
	 * @param value the value
	 * @throws OutcomeUnknownException if the write may have happened or not
	 * @throws UnavailableException if no node could do it; nothing was written
	 * @throws RefusedException if a node refuses it; nothing was written
	 */
	public Written put(String key, byte[] value) {
		return put(Put.of(key, value));
	}

	/**
	 * Writes text as UTF-8, with the type {@code text/plain; charset=utf-8}, also over
	 * another value.
	 * @param key the key
	 * @param text the value
	 * @throws OutcomeUnknownException if the write may have happened or not
	 * @throws UnavailableException if no node could do it; nothing was written
	 * @throws RefusedException if a node refuses it; nothing was written
	 */
	public Written put(String key, String text) {
		return put(Put.of(key, text));
	}

	/**
	 * Writes a value, also over another one, unless it has a condition. One that names
	 * versions, or is met by no value, lets the client repeat the write after any
	 * failure.
	 * @param put the key with its value and its condition
	 * @throws OutcomeUnknownException if the write may have happened or not
	 * @throws UnavailableException if no node could do it; nothing was written
	 * @throws RefusedException if a node refuses it; nothing was written
	 */
	public Written put(Put put) {
		return put(put, UnaryOperator.identity());
	}

	/**
	 * Writes a value, also over another one, unless it has a condition. One that names
	 * versions, or is met by no value, lets the client repeat the write after any
	 * failure.
	 * @param put the key with its value and its condition
	 * @param changes the changes of the options of the client
	 * @throws OutcomeUnknownException if the write may have happened or not
	 * @throws UnavailableException if no node could do it; nothing was written
	 * @throws RefusedException if a node refuses it; nothing was written
	 */
	public Written put(Put put, UnaryOperator<CallOptions> changes) {
		return Core.await(this.core.put(put, changes));
	}

	/**
	 * Deletes a value, also if there is none.
	 * @param key the key
	 * @throws OutcomeUnknownException if the write may have happened or not
	 * @throws UnavailableException if no node could do it; nothing was written
	 * @throws RefusedException if a node refuses it; nothing was written
	 */
	public Written delete(String key) {
		return delete(key, UnaryOperator.identity());
	}

	/**
	 * Deletes a value, also if there is none.
	 * @param key the key
	 * @param changes the changes of the options of the client
	 * @throws OutcomeUnknownException if the write may have happened or not
	 * @throws UnavailableException if no node could do it; nothing was written
	 * @throws RefusedException if a node refuses it; nothing was written
	 */
	public Written delete(String key, UnaryOperator<CallOptions> changes) {
		return delete(Delete.of(key), changes);
	}

	/**
	 * Deletes a value, if its condition holds. A condition that names versions lets the
	 * client repeat the deletion after any failure.
	 * @param delete the key with its condition
	 * @throws OutcomeUnknownException if the write may have happened or not
	 * @throws UnavailableException if no node could do it; nothing was written
	 * @throws RefusedException if a node refuses it; nothing was written
	 */
	public Written delete(Delete delete) {
		return delete(delete, UnaryOperator.identity());
	}

	/**
	 * Deletes a value, if its condition holds. A condition that names versions lets the
	 * client repeat the deletion after any failure.
	 * @param delete the key with its condition
	 * @param changes the changes of the options of the client
	 * @throws OutcomeUnknownException if the write may have happened or not
	 * @throws UnavailableException if no node could do it; nothing was written
	 * @throws RefusedException if a node refuses it; nothing was written
	 */
	public Written delete(Delete delete, UnaryOperator<CallOptions> changes) {
		return Core.await(this.core.delete(delete, changes));
	}

	/**
	 * Gives a value more time to live; it is empty if there is none. The value keeps its
	 * version. After any failure the next node is asked: to repeat it does no harm.
	 * @param touch the key with the time
	 * @throws PreconditionFailedException if the value has another version
	 * @throws UnavailableException if no node could answer
	 * @throws RefusedException if a node refuses the request
	 */
	public Optional<Touched> touch(Touch touch) {
		return touch(touch, UnaryOperator.identity());
	}

	/**
	 * Gives a value more time to live; it is empty if there is none. The value keeps its
	 * version. After any failure the next node is asked: to repeat it does no harm.
	 * @param touch the key with the time
	 * @param changes the changes of the options of the client
	 * @throws PreconditionFailedException if the value has another version
	 * @throws UnavailableException if no node could answer
	 * @throws RefusedException if a node refuses the request
	 */
	public Optional<Touched> touch(Touch touch, UnaryOperator<CallOptions> changes) {
		return Core.await(this.core.touch(touch, changes));
	}

	/**
	 * Returns a client with other options, over the same connections; to close either
	 * closes both.
	 * @param changes the changes of the options of the client
	 */
	public QuorateClient with(UnaryOperator<CallOptions> changes) {
		return new QuorateClient(this.core.with(changes));
	}

	/**
	 * Writes a value if there is none; it is empty if there is one. It is known in the
	 * end whether this call has written it: the write is repeated by its key until the
	 * deadline.
	 * @param put the key with its value
	 * @throws OutcomeUnknownException if the deadline has passed before the outcome was
	 * known
	 * @throws UnavailableException if no node could do it; nothing was written
	 */
	public Optional<Written> putIfAbsent(Put put) {
		return Steps.await(this.core, (steps) -> this.core.recipes().putIfAbsent(steps, put));
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
	 * @throws DeadlineExceededException if others were faster each time; nothing was
	 * written
	 * @throws OutcomeUnknownException if the deadline has passed before the outcome was
	 * known
	 * @throws UnavailableException if no node could do it; nothing was written
	 */
	public Optional<Written> update(String key, Function<Optional<Entity>, ? extends @Nullable Item> change) {
		return Steps.await(this.core, (steps) -> this.core.recipes().update(steps, key, change));
	}

	/**
	 * Adds to a whole number, once whatever fails meanwhile, and returns the sum. A
	 * number that is not there is 0.
	 * @param key the key
	 * @param by the number to add
	 * @throws IllegalStateException if the value is no whole number
	 * @throws DeadlineExceededException if others were faster each time; nothing was
	 * written
	 * @throws OutcomeUnknownException if the deadline has passed before the outcome was
	 * known
	 * @throws UnavailableException if no node could do it; nothing was written
	 */
	public long increment(String key, long by) {
		return Steps.await(this.core, (steps) -> this.core.recipes().increment(steps, key, by, null));
	}

	/**
	 * Adds to a whole number, as {@link #increment(String, long)} does. One that is there
	 * keeps its expiry.
	 * @param key the key
	 * @param by the number to add
	 * @param ttl the time to live of a number that is not there
	 */
	public long increment(String key, long by, Duration ttl) {
		return Steps.await(this.core, (steps) -> this.core.recipes().increment(steps, key, by, ttl));
	}

	/**
	 * Deletes all keys that begin with a prefix, and returns their number. What others
	 * write meanwhile stays. The deadline begins anew with each 250 keys.
	 * @param prefix the beginning of the keys
	 * @throws QuorateException if it broke off; a repetition goes on
	 */
	public long deletePrefix(String prefix) {
		return Steps.await(this.core, (steps) -> this.core.recipes().deletePrefix(steps, prefix));
	}

	/**
	 * Acquires a lock, and waits for another holder until the deadline, as
	 * {@link #lock(String, Duration, Duration)} does.
	 * @param key the key, such as {@code lock:report}
	 * @param ttl the time after which the lock of a holder that has stopped ends
	 */
	public HeldLock lock(String key, Duration ttl) {
		return lock(key, ttl, this.core.options().deadline());
	}

	/**
	 * Acquires a lock, which is renewed until it is released: a key that is created once,
	 * and expires.
	 * @param key the key, such as {@code lock:report}
	 * @param ttl the time after which the lock of a holder that has stopped ends; at
	 * least 5 seconds
	 * @param wait the time to wait for another holder; with zero it does not wait
	 * @throws LockedException if another one had it all the time
	 * @throws OutcomeUnknownException if it may be acquired or not; then it is released
	 * in the background
	 * @throws UnavailableException if no node could do it; it is not acquired
	 */
	public HeldLock lock(String key, Duration ttl, Duration wait) {
		return Steps.await(this.core, this.core.recipes().lock(key, ttl, wait, Thread.currentThread()::isAlive));
	}

	/**
	 * Takes a job of a queue that no other worker has, without a wait, for one of three
	 * attempts, as {@link #take(String, Duration, Duration, int)} does.
	 * @param prefix the beginning of the keys of jobs
	 * @param ttl the time after which another worker begins the job of one that has
	 * stopped
	 */
	public Optional<Job> take(String prefix, Duration ttl) {
		return take(prefix, ttl, Duration.ZERO, Taking.ATTEMPTS);
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
	 * @throws OutcomeUnknownException if a job may be leased or not; then it is given
	 * back in the background
	 * @throws UnavailableException if no node could do it
	 */
	public Optional<Job> take(String prefix, Duration ttl, Duration wait, int attempts) {
		return Steps.await(this.core,
				this.core.recipes().take(prefix, ttl, wait, attempts, Thread.currentThread()::isAlive));
	}

	/**
	 * Reads a value; it is empty if there is none.
	 * @param key the key
	 * @throws UnavailableException if no node could answer
	 * @throws RefusedException if a node refuses the request
	 */
	public Optional<Entity> get(String key) {
		return get(key, UnaryOperator.identity());
	}

	/**
	 * Reads a value; it is empty if there is none.
	 * @param key the key
	 * @param changes the changes of the options of the client
	 * @throws UnavailableException if no node could answer
	 * @throws RefusedException if a node refuses the request
	 */
	public Optional<Entity> get(String key, UnaryOperator<CallOptions> changes) {
		return Core.await(this.core.get(key, changes));
	}

	/**
	 * Reads a value with conditions.
	 * @param get the key with its conditions
	 * @throws UnavailableException if no node could answer
	 * @throws RefusedException if a node refuses the request
	 */
	public ReadResult get(Get get) {
		return get(get, UnaryOperator.identity());
	}

	/**
	 * Reads a value with conditions.
	 * @param get the key with its conditions
	 * @param changes the changes of the options of the client
	 * @throws UnavailableException if no node could answer
	 * @throws RefusedException if a node refuses the request
	 */
	public ReadResult get(Get get, UnaryOperator<CallOptions> changes) {
		return Core.await(this.core.get(get, changes));
	}

	/**
	 * Reads a part of a value; it is empty if there is no value.
	 * @param key the key
	 * @param part the part
	 * @throws RangeNotSatisfiableException if the value has none of the bytes
	 * @throws UnavailableException if no node could answer
	 * @throws RefusedException if a node refuses the request
	 */
	public Optional<Entity> getPart(String key, ByteRange part) {
		return getPart(key, part, UnaryOperator.identity());
	}

	/**
	 * Reads a part of a value; it is empty if there is no value.
	 * @param key the key
	 * @param part the part
	 * @param changes the changes of the options of the client
	 * @throws RangeNotSatisfiableException if the value has none of the bytes
	 * @throws UnavailableException if no node could answer
	 * @throws RefusedException if a node refuses the request
	 */
	public Optional<Entity> getPart(String key, ByteRange part, UnaryOperator<CallOptions> changes) {
		return Core.await(this.core.getPart(key, part, changes));
	}

	/**
	 * Asks for a value without its bytes; it is empty if there is none.
	 * @param key the key
	 * @throws UnavailableException if no node could answer
	 * @throws RefusedException if a node refuses the request
	 */
	public Optional<Metadata> head(String key) {
		return head(key, UnaryOperator.identity());
	}

	/**
	 * Asks for a value without its bytes; it is empty if there is none.
	 * @param key the key
	 * @param changes the changes of the options of the client
	 * @throws UnavailableException if no node could answer
	 * @throws RefusedException if a node refuses the request
	 */
	public Optional<Metadata> head(String key, UnaryOperator<CallOptions> changes) {
		return Core.await(this.core.head(key, changes));
	}

	/**
	 * Does many puts, gets and deletes in one request. A batch is not atomic: each item
	 * has its own outcome. The results have the order of the items. If the answer breaks
	 * off, each write without an answer has an {@link OutcomeUnknownException}.
	 * @param items the items
	 * @throws OutcomeUnknownException if there is no answer to any item, and writes may
	 * have happened or not
	 * @throws UnavailableException if no node could do it; nothing was done
	 * @throws RefusedException if a node refuses the batch; nothing was done
	 */
	public List<ItemResult> batch(List<? extends Item> items) {
		return batch(items, UnaryOperator.identity());
	}

	/**
	 * Does many puts, gets and deletes in one request. A batch is not atomic: each item
	 * has its own outcome. The results have the order of the items. If the answer breaks
	 * off, each write without an answer has an {@link OutcomeUnknownException}.
	 * @param items the items
	 * @param changes the changes of the options of the client
	 * @throws OutcomeUnknownException if there is no answer to any item, and writes may
	 * have happened or not
	 * @throws UnavailableException if no node could do it; nothing was done
	 * @throws RefusedException if a node refuses the batch; nothing was done
	 */
	public List<ItemResult> batch(List<? extends Item> items, UnaryOperator<CallOptions> changes) {
		return Core.await(this.core.batch(items, changes));
	}

	/**
	 * Reads keys and values, in the order of the keys. A range that breaks off goes on at
	 * the next node, so that each record comes once and none is missing. It is no
	 * snapshot.
	 * @param query the bounds
	 */
	public RangeIterator<RangeRecord> range(RangeQuery query) {
		return range(query, UnaryOperator.identity());
	}

	/**
	 * Reads keys and values, in the order of the keys. A range that breaks off goes on at
	 * the next node, so that each record comes once and none is missing. It is no
	 * snapshot.
	 * @param query the bounds
	 * @param changes the changes of the options of the client
	 */
	public RangeIterator<RangeRecord> range(RangeQuery query, UnaryOperator<CallOptions> changes) {
		return new RangeIterator<>(this.core.range(query, changes, Runnable::run));
	}

	/**
	 * Reads keys without their values, as {@code range} does.
	 * @param query the bounds
	 */
	public RangeIterator<KeyRecord> keys(RangeQuery query) {
		return keys(query, UnaryOperator.identity());
	}

	/**
	 * Reads keys without their values, as {@code range} does.
	 * @param query the bounds
	 * @param changes the changes of the options of the client
	 */
	public RangeIterator<KeyRecord> keys(RangeQuery query, UnaryOperator<CallOptions> changes) {
		return new RangeIterator<>(this.core.keys(query, changes, Runnable::run));
	}

	/**
	 * Reads the first page of a range, complete. Its cursor leads to the rest, also in
	 * another client, at any time.
	 * @param query the bounds
	 * @throws UnavailableException if no node could answer
	 * @throws RefusedException if a node refuses the request
	 */
	public Page<RangeRecord> page(RangeQuery query) {
		return page(query, UnaryOperator.identity());
	}

	/**
	 * Reads the first page of a range, complete. Its cursor leads to the rest, also in
	 * another client, at any time.
	 * @param query the bounds
	 * @param changes the changes of the options of the client
	 * @throws UnavailableException if no node could answer
	 * @throws RefusedException if a node refuses the request
	 */
	public Page<RangeRecord> page(RangeQuery query, UnaryOperator<CallOptions> changes) {
		return Core.await(this.core.page(query, changes));
	}

	/**
	 * Reads the first page of a range without values, as {@code page} does.
	 * @param query the bounds
	 * @throws UnavailableException if no node could answer
	 * @throws RefusedException if a node refuses the request
	 */
	public Page<KeyRecord> keyPage(RangeQuery query) {
		return keyPage(query, UnaryOperator.identity());
	}

	/**
	 * Reads the first page of a range without values, as {@code page} does.
	 * @param query the bounds
	 * @param changes the changes of the options of the client
	 * @throws UnavailableException if no node could answer
	 * @throws RefusedException if a node refuses the request
	 */
	public Page<KeyRecord> keyPage(RangeQuery query, UnaryOperator<CallOptions> changes) {
		return Core.await(this.core.keyPage(query, changes));
	}

	/**
	 * Watches keys: their changes as a majority of the replicas holds them, at least the
	 * last version of each key. It goes on by itself at any node, where it was, until it
	 * is closed.
	 * @param watch the keys, the beginning and the form
	 */
	public Watch watch(WatchOptions watch) {
		return watch(watch, UnaryOperator.identity());
	}

	/**
	 * Watches keys: their changes as a majority of the replicas holds them, at least the
	 * last version of each key. It goes on by itself at any node, where it was, until it
	 * is closed.
	 * @param watch the keys, the beginning and the form
	 * @param changes the changes of the options of the client
	 */
	public Watch watch(WatchOptions watch, UnaryOperator<CallOptions> changes) {
		return new Watch(this.core.watch(watch, changes, Runnable::run));
	}

	/**
	 * Asks the first node that answers for its state.
	 * @throws UnavailableException if no node could answer
	 * @throws RefusedException if a node refuses the request
	 */
	public NodeStatus status() {
		return status(UnaryOperator.identity());
	}

	/**
	 * Asks the first node that answers for its state.
	 * @param changes the changes of the options of the client
	 * @throws UnavailableException if no node could answer
	 * @throws RefusedException if a node refuses the request
	 */
	public NodeStatus status(UnaryOperator<CallOptions> changes) {
		return Core.await(this.core.status(changes));
	}

	/**
	 * Returns a client of other nodes, for instance of a single one, with the
	 * connections, threads, token and options of this one. To close either closes both.
	 * @param endpoints the nodes, such as {@code http://10.0.0.1:8080}; the first one is
	 * asked first
	 * @throws IllegalArgumentException if one is no URL of a node, or there is none
	 */
	public QuorateClient at(String... endpoints) {
		return new QuorateClient(this.core.at(endpoints));
	}

	/**
	 * Returns an asynchronous client with the connections, threads and options of this
	 * one. To close either closes both.
	 */
	public QuorateAsyncClient async() {
		return new QuorateAsyncClient(this.core);
	}

	/**
	 * Ends all calls, connections and threads of the client. A write under way has an
	 * unknown outcome. Later calls are an {@link IllegalStateException}. Before Java 21
	 * the JDK ends its own thread, and idle connections, at a garbage collection.
	 */
	@Override
	public void close() {
		this.core.close();
	}

	@Override
	public String toString() {
		return "QuorateClient[" + this.core + "]";
	}

}
