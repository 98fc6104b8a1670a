package io.quorate.coordinator;

import java.util.NavigableMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Origin;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A replica over a map. What it is asked travels over a network that a test makes: it
 * gets each message as work to do and replies to deliver. Used by one thread.
 */
final class MemoryReplica implements Replica {

	final MemoryStore store = new MemoryStore();

	final NavigableMap<Key, Entry> entries = this.store.entries;

	private final String nodeId;

	private final Network network;

	MemoryReplica(String nodeId, Network network) {
		this.nodeId = nodeId;
		this.network = network;
	}

	@Override
	public String nodeId() {
		return this.nodeId;
	}

	@Override
	public Mono<WriteReply> apply(Key key, Entry entry, Origin origin, Deadline deadline) {
		return send(() -> put(key, entry), Network::failedWrite);
	}

	WriteReply put(Key key, Entry entry) {
		return this.store.put(key, entry);
	}

	@Override
	public Mono<ReadReply> read(Key key, int maxValueBytes, Deadline deadline) {
		return send(() -> this.store.get(key, maxValueBytes), Network::failedRead);
	}

	@Override
	public Mono<PageReply> page(PageRequest request, Deadline deadline) {
		return send(() -> this.store.page(request), Network::failedPage);
	}

	private <T> Mono<T> send(Supplier<T> work, Function<Network, T> failed) {
		Sinks.One<T> sink = Sinks.one();
		Consumer<T> deliver = (reply) -> sink.tryEmitValue(reply);
		this.network.send(this.nodeId, work, () -> failed.apply(this.network), deliver);
		return sink.asMono();
	}

	/** The network of a test, which decides what becomes of each message. */
	interface Network {

		/**
		 * Takes a message.
		 * @param work what the node does when the message arrives; gives the reply
		 * @param failed gives the reply that stands for none
		 * @param deliver brings one reply back
		 */
		<T> void send(String node, Supplier<T> work, Supplier<T> failed, Consumer<T> deliver);

		/** Reason for each failure. */
		default Reason reason() {
			return Reason.TIMEOUT;
		}

		default WriteReply failedWrite() {
			return ScriptedCluster.failed(reason());
		}

		default ReadReply failedRead() {
			return ScriptedCluster.unreadable(reason());
		}

		default PageReply failedPage() {
			return new PageReply.Failed(new Failure(reason(), "as the test wants"));
		}

	}

}
