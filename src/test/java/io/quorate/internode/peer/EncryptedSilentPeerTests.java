package io.quorate.internode.peer;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quorate.Authority;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.internode.FreezableProxy;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.TlsMode;
import io.quorate.internode.tls.Encryption;
import io.quorate.internode.tls.EncryptionTests;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;

import static io.quorate.internode.wiring.InternodeFixture.FEW_SIGNS_OF_LIFE;
import static io.quorate.internode.wiring.InternodeFixture.MAX_VALUE_BYTES;
import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.in;
import static io.quorate.internode.wiring.InternodeFixture.key;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.reason;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A peer that is there and does not read, when connections are encrypted: what waits for
 * it counts, though it is kept as other bytes than those that were sent.
 */
class EncryptedSilentPeerTests {

	private static final Key KEY = Key.of("key");

	private static DefaultSslBundleRegistry bundles;

	private final InternodeFixture nodes = new InternodeFixture();

	private InternodeServer server;

	private FreezableProxy proxy;

	@BeforeAll
	static void issue(@TempDir Path directory) throws Exception {
		bundles = new DefaultSslBundleRegistry("nodes",
				new Authority(directory, "authority").issue("node", "ip:127.0.0.1").bundle());
	}

	@BeforeEach
	void connect() throws IOException {
		Encryption encryption = Encryption.by(TlsMode.REQUIRED, "nodes", bundles, EncryptionTests.HOSTS);
		this.nodes.serverEncryption = encryption;
		this.nodes.clientEncryption = encryption;
		this.server = this.nodes.serve();
		this.proxy = new FreezableProxy(this.server.port());
	}

	@AfterEach
	void close() throws IOException {
		this.proxy.close();
		this.nodes.close();
	}

	@Test
	void theQueueForASilentPeerCountsUntilThePeerIsGone() throws IOException {
		PeerReplica peer = this.nodes.connected(this.proxy.port(), FEW_SIGNS_OF_LIFE);
		this.proxy.freeze();
		List<Mono<WriteReply>> writes = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			writes.add(peer.apply(key(i), live(60_000), in(100)));
		}
		Entry large = live(MAX_VALUE_BYTES);
		writes.add(peer.apply(KEY, large, in(100)));
		writes.add(peer.apply(KEY, large, in(100)));
		assertThat(Flux.merge(writes).collectList().block(PATIENCE))
			.allMatch((reply) -> reason(reply) == Reason.TIMEOUT);
		assertThat(peer.requestsInFlight()).isZero();
		assertThat(peer.bytesInFlight()).as("bytes that wait in the sockets' queues")
			.isGreaterThan(MAX_VALUE_BYTES / 2);
		this.proxy.close();
		await(() -> assertThat(peer.bytesInFlight()).isZero());
	}

	@Test
	void theQueueForASilentPeerIsBounded() {
		PeerReplica peer = this.nodes.connected(this.proxy.port(), FEW_SIGNS_OF_LIFE);
		this.proxy.freeze();
		for (int round = 0; round < 3; round++) {
			List<Mono<WriteReply>> writes = new ArrayList<>();
			for (int i = 0; i < 10; i++) {
				writes.add(peer.apply(key(i), live(MAX_VALUE_BYTES / 2), in(100)));
			}
			assertThat(Flux.merge(writes).map(InternodeFixture::reason).collectList().block(PATIENCE))
				.as("round %d", round)
				.contains(Reason.OVERLOADED);
		}
		assertThat(peer.bytesInFlight()).isBetween(24L << 20, 48L << 20);
		assertThat(reason(peer.apply(KEY, live(1), in(100)).block(PATIENCE)))
			.as("small requests have bounds of their own")
			.isEqualTo(Reason.TIMEOUT);
	}

	@Test
	void repliesThatWaitForItCountUntilItReadsThem() {
		this.nodes.replica.put(KEY, live(60_000));
		PeerReplica peer = this.nodes.connected(this.proxy.port(), FEW_SIGNS_OF_LIFE);
		// The requests pass, and then neither they nor their replies.
		this.proxy.slowDown(1 << 20);
		List<Mono<ReadReply>> reads = new ArrayList<>();
		for (int i = 0; i < 600; i++) {
			reads.add(peer.read(KEY, soon()));
		}
		await(() -> assertThat(this.nodes.replica.calls()).isGreaterThanOrEqualTo(600));
		this.proxy.freeze();
		InternodeFixture.awaitEventLoops();
		assertThat(this.server.bytesInFlight()).isGreaterThan(4 << 20);
		this.proxy.slowDown(1 << 30);
		this.proxy.thaw();
		assertThat(Flux.merge(reads).collectList().block(PATIENCE)).allMatch(new ReadReply.Found(live(60_000))::equals);
		await(() -> assertThat(this.server.bytesInFlight()).isZero());
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().pollInterval(Duration.ofMillis(5)).untilAsserted(assertion);
	}

}
