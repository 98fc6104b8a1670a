package io.quorate.internode.wiring;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;

import io.quorate.clock.Deadline;
import io.quorate.entry.Key;
import io.quorate.internode.FreezableProxy;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.server.InternodeServer;
import io.quorate.replica.ReadReply;
import io.quorate.storage.PageLimit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.key;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests that end by a reply, by a cancellation, at their deadline, with their
 * connection, with the server, and for want of memory, in any order: each has one outcome
 * at most, and at the end nothing is held. Leaks of buffers are found by the session of
 * the tests.
 */
class ReleaseTests {

	private static final int REQUESTS = Boolean.getBoolean("quorate.endurance") ? 200_000 : 4_000;

	private static final int CALLERS = 8;

	private static final int KEYS = 40;

	/* So little that requests and replies are refused for want of it now and then. */
	private static final int ROOM = 12 << 20;

	private static final int LARGEST = 3 << 20;

	private final InternodeFixture nodes = new InternodeFixture();

	private final List<InternodeServer> servers = new ArrayList<>();

	private final AtomicIntegerArray outcomes = new AtomicIntegerArray(REQUESTS);

	private final AtomicIntegerArray cancelled = new AtomicIntegerArray(REQUESTS);

	private final AtomicInteger next = new AtomicInteger();

	private final Queue<Throwable> errors = new ConcurrentLinkedQueue<>();

	private final Queue<String> kinds = new ConcurrentLinkedQueue<>();

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void aRequestThatHasEndedHoldsNothing() throws Exception {
		long seed = new Random().nextLong();
		System.out.println("ReleaseTests: seed " + seed);
		for (int i = 0; i < KEYS; i++) {
			this.nodes.replica.put(key(i), live((i % 4 == 0) ? LARGEST * i / KEYS : 100 * i));
		}
		serve();
		try (FreezableProxy wire = new FreezableProxy(this.servers.getLast().port())) {
			PeerReplica peer = this.nodes.connectedWithRoomFor(ROOM, wire.port());
			List<Thread> callers = new ArrayList<>();
			for (int i = 0; i < CALLERS; i++) {
				Random random = new Random(seed + i);
				callers.add(Thread.ofVirtual().start(() -> call(peer, random)));
			}
			disturb(wire, new Random(seed - 1), callers);
			requireOneOutcomeEach(peer, seed);
			InternodeFixture.awaitReady(peer);
			assertThat(peer.read(Key.of("none"), soon()).block(PATIENCE)).as("seed %d", seed)
				.isEqualTo(new ReadReply.Absent());
		}
	}

	private void serve() {
		this.servers.add(this.nodes.serveWithRoomFor(ROOM));
	}

	private void call(PeerReplica peer, Random random) {
		int number = this.next.getAndIncrement();
		while (number < REQUESTS) {
			int its = number;
			Mono<?> request = request(peer, random);
			Disposable reading = request.subscribe((reply) -> {
				this.outcomes.incrementAndGet(its);
				this.kinds.add(kind(reply));
			}, this.errors::add);
			if (random.nextInt(4) == 0) {
				LockSupport.parkNanos(random.nextInt(2_000_000));
				this.cancelled.set(its, 1);
				reading.dispose();
			}
			else if (random.nextInt(3) == 0) {
				LockSupport.parkNanos(random.nextInt(3_000_000));
			}
			number = this.next.getAndIncrement();
		}
	}

	private static String kind(Object reply) {
		String text = reply.toString();
		int reason = text.indexOf("reason=");
		return (reason < 0) ? "answer" : text.substring(reason + 7, text.indexOf(',', reason));
	}

	private static Mono<?> request(PeerReplica peer, Random random) {
		Key key = key(random.nextInt(KEYS));
		Deadline deadline = InternodeFixture.in(1 + random.nextInt(200));
		return switch (random.nextInt(8)) {
			case 0, 1, 2 -> peer.apply(key, live(random.nextInt(2000)), deadline);
			case 3 -> peer.apply(key, live(random.nextInt(LARGEST)), deadline);
			case 4 -> peer.page(key, null, new PageLimit(10, 10_000, 10), deadline);
			default -> peer.read(key, deadline);
		};
	}

	/** Breaks the wire and the server now and then, until all callers are done. */
	private void disturb(FreezableProxy wire, Random random, List<Thread> callers) throws IOException {
		while (callers.stream().anyMatch(Thread::isAlive)) {
			LockSupport.parkNanos(20_000_000 + random.nextInt(80_000_000));
			switch (random.nextInt(5)) {
				case 0 -> wire.cut();
				case 1 -> {
					wire.freeze();
					LockSupport.parkNanos(random.nextInt(150_000_000));
					wire.thaw();
				}
				case 2 -> {
					this.nodes.replica.keepBack();
					LockSupport.parkNanos(random.nextInt(50_000_000));
					if (random.nextBoolean()) {
						wire.cut();
					}
					this.nodes.replica.proceed();
				}
				case 3 -> {
					InternodeServer old = this.servers.getLast();
					serve();
					wire.lead(this.servers.getLast().port());
					old.close();
				}
				default -> wire.slowDown(1 << (20 + random.nextInt(8)));
			}
		}
		wire.slowDown(1 << 28);
		this.nodes.replica.proceed();
	}

	private void requireOneOutcomeEach(PeerReplica peer, long seed) {
		Awaitility.await().pollInterval(Duration.ofMillis(5)).untilAsserted(() -> {
			assertThat(missing()).as("without an outcome, seed %d", seed).isNull();
			assertThat(peer.requestsInFlight()).as("seed %d", seed).isZero();
			assertThat(peer.bytesInFlight()).as("seed %d", seed).isZero();
			assertThat(this.servers).as("seed %d", seed).allMatch(InternodeServer::isIdle);
			assertThat(this.nodes.outsideTheHeap()).as("bytes of messages, seed %d", seed).isZero();
		});
		for (int i = 0; i < REQUESTS; i++) {
			assertThat(this.outcomes.get(i)).as("request %d, seed %d", i, seed).isLessThanOrEqualTo(1);
		}
		assertThat(this.errors).as("seed %d", seed).isEmpty();
		assertThat(this.kinds).as("seed %d", seed).contains("answer", "TIMEOUT", "DISCONNECTED", "FAILED");
	}

	private @Nullable Integer missing() {
		for (int i = 0; i < REQUESTS; i++) {
			if (this.outcomes.get(i) == 0 && this.cancelled.get(i) == 0) {
				return i;
			}
		}
		return null;
	}

}
