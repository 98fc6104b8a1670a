package io.quorate.client.reactor;

import java.util.List;
import java.util.function.UnaryOperator;

import io.quorate.client.ByteRange;
import io.quorate.client.CallOptions;
import io.quorate.client.Delete;
import io.quorate.client.Entity;
import io.quorate.client.Get;
import io.quorate.client.Item;
import io.quorate.client.ItemResult;
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
