package io.quorate.internode.wiring;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.server.InternodeServer;
import io.quorate.replica.ReadReply;
import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A peer that keeps to the protocol, and reads all the time while another one does not.
 */
final class SteadyReader {

	private static final Key KEY = Key.of("steady");

	private static final Entry ENTRY = InternodeFixture.live(500);

	private final AtomicInteger reads = new AtomicInteger();

	private final Queue<ReadReply> failures = new ConcurrentLinkedQueue<>();

	private final InternodeFixture nodes;

	private final PeerReplica peer;

	private final Thread thread;

	private volatile boolean stopped;

	/** Begins to read from a server with this replica. */
	SteadyReader(InternodeFixture nodes, PeerReplica peer) {
		this.nodes = nodes;
		this.peer = peer;
		nodes.replica.put(KEY, ENTRY);
		nodes.replica.alwaysReads(KEY);
		this.thread = Thread.ofVirtual().start(this::readOn);
		requireMore();
	}

	private void readOn() {
		while (!this.stopped) {
			ReadReply reply = this.peer.read(KEY, InternodeFixture.soon()).block(InternodeFixture.PATIENCE);
			if (reply instanceof ReadReply.Found(var entry) && entry.equals(ENTRY)) {
				this.reads.incrementAndGet();
			}
			else if (reply != null) {
				this.failures.add(reply);
			}
		}
	}

	/** It is served now, and was served all the time. */
	void requireMore() {
		int before = this.reads.get();
		Awaitility.await()
			.pollInterval(Duration.ofMillis(2))
			.until(() -> this.reads.get() > before + 2 || !this.failures.isEmpty());
		assertThat(this.failures).as("of a peer that keeps to the protocol").isEmpty();
	}

	/**
	 * It is served to the end; then the server keeps its connections alone, and nothing
	 * of the others'.
	 */
	void requireThatOthersLeaveNothing(InternodeServer server) throws InterruptedException {
		this.nodes.replica.proceed();
		requireMore();
		stop();
		Awaitility.await().pollInterval(Duration.ofMillis(2)).untilAsserted(() -> {
			assertThat(server.connections()).isEqualTo(InternodeFixture.CONNECTIONS);
			assertThat(server.requestsInWork()).isZero();
			assertThat(server.bytesInFlight()).isZero();
		});
	}

	void stop() throws InterruptedException {
		this.stopped = true;
		assertThat(this.thread.join(InternodeFixture.PATIENCE)).isTrue();
		assertThat(this.failures).as("of a peer that keeps to the protocol").isEmpty();
	}

}
