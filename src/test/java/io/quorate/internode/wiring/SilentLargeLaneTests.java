package io.quorate.internode.wiring;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import io.quorate.clock.Deadline;
import io.quorate.entry.Key;
import io.quorate.internode.InternodeProperties;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.Wire;
import io.quorate.membership.members.MemberState;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.PageReply;
import io.quorate.replica.ReadReply;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ScanPage;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;
import reactor.core.publisher.Mono;

import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.in;
import static io.quorate.internode.wiring.InternodeFixture.reason;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A connection for large values on which nothing comes any more, as of a firewall that
 * has forgotten it, while the other connections to the peer are well.
 */
class SilentLargeLaneTests {

	private static final InternodeProperties PROPERTIES = new InternodeProperties("127.0.0.1", null, null, 1024,
			DataSize.ofMegabytes(48), Duration.ofMillis(50), Duration.ofMillis(1000), Duration.ofMillis(200),
			Duration.ofSeconds(1), Duration.ofMillis(100), Wire.VERSION);

	/* An answer to a keep-alive may wait behind large values for so long. */
	private static final Duration GIVEN_UP_AFTER = PROPERTIES.disconnectAfter().multipliedBy(10);

	private static final Key KEY = Key.of("key");

	private static final ScanPage EMPTY = new ScanPage(List.of(), null);

	private final InternodeFixture nodes = new InternodeFixture();

	private final RawServer server = new RawServer();

	private final PeerReplica peer = this.nodes.connected(this.server.port(), PROPERTIES);

	SilentLargeLaneTests() throws IOException {
	}

	@AfterEach
	void close() throws IOException {
		this.nodes.close();
		this.server.close();
	}

	@Test
	void requestsOnASilentConnectionEndAtTheirDeadlineAndItIsReplaced() {
		// It is ready before it has its second connection for small messages.
		Awaitility.await().until(() -> this.server.accepted() == InternodeFixture.CONNECTIONS);
		this.server.reply((line, _) -> line.fallSilent());
		Deadline givenUp = Deadline.after(GIVEN_UP_AFTER);
		Mono<PageReply> page = page(in(300));
		assertThat(reason(page.block(PATIENCE))).isEqualTo(Reason.TIMEOUT);
		this.server.reply((line, stream) -> line.reply(stream, new Reply.Absent()));
		while (givenUp.remainingNanos() > GIVEN_UP_AFTER.toNanos() / 2) {
			assertThat(this.peer.read(KEY, soon()).block(PATIENCE)).isEqualTo(new ReadReply.Absent());
			assertThat(this.peer.state()).as("its other connections are well").isEqualTo(MemberState.UP);
		}
		int accepted = this.server.accepted();
		assertThat(givenUp.isExpired() || accepted == InternodeFixture.CONNECTIONS)
			.as("large values may delay a keep-alive")
			.isTrue();
		this.server.reply((line, stream) -> line.reply(stream, new Reply.Page(EMPTY)));
		Awaitility.await()
			.pollInterval(Duration.ofMillis(5))
			.until(() -> this.server.accepted() > InternodeFixture.CONNECTIONS && this.peer.isReady());
		assertThat(page(soon()).block(PATIENCE)).isEqualTo(new PageReply.Page(EMPTY));
		assertThat(this.peer.requestsInFlight()).isZero();
	}

	private Mono<PageReply> page(Deadline deadline) {
		return this.peer.page(KEY, null, new PageLimit(10, 1000, 10), deadline);
	}

}
