package io.quorate.client;

import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

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
