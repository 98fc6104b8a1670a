package io.quorate.internode.peer;

import java.time.Duration;

import io.quorate.entry.Key;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.reason;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/** No room outside the heap is a refusal, and nothing is lost by it. */
class ScarceMemoryTests {

	private static final Key KEY = Key.of("key");

	private static final int ROOM = 1 << 20;

	private final InternodeFixture nodes = new InternodeFixture();

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void requestWithoutRoomIsRefused() {
		PeerReplica peer = this.nodes.connectedWithRoomFor(ROOM, this.nodes.serve().port());
		for (int i = 0; i < 20; i++) {
			assertThat(reason(peer.apply(KEY, live(2 * ROOM), soon()).block(PATIENCE))).isEqualTo(Reason.OVERLOADED);
		}
		assertThat(peer.requestsInFlight()).isZero();
		assertThat(peer.bytesInFlight()).isZero();
		assertThat(peer.apply(KEY, live(ROOM / 2), soon()).block(PATIENCE)).isEqualTo(WriteReply.Applied.COMPLETE);
	}

	@Test
	void replyWithoutRoomIsRefused() {
		InternodeServer server = this.nodes.serveWithRoomFor(ROOM);
		PeerReplica peer = this.nodes.connected(server.port());
		this.nodes.replica.put(KEY, live(2 * ROOM));
		for (int i = 0; i < 20; i++) {
			assertThat(reason(peer.read(KEY, soon()).block(PATIENCE))).isEqualTo(Reason.OVERLOADED);
		}
		this.nodes.replica.put(KEY, live(ROOM / 2));
		assertThat(peer.read(KEY, soon()).block(PATIENCE)).isEqualTo(new ReadReply.Found(live(ROOM / 2)));
		Awaitility.await().pollInterval(Duration.ofMillis(5)).untilAsserted(() -> {
			assertThat(server.requestsInWork()).isZero();
			assertThat(server.bytesInFlight()).isZero();
		});
	}

}
