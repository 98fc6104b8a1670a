package io.quorate.internode.peer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.embedded.EmbeddedChannel;
import io.quorate.internode.DataStatus;
import io.quorate.internode.IdleExchanges;
import io.quorate.internode.context.Observation;
import io.quorate.internode.context.PeerContext;
import io.quorate.internode.context.ReplicaSpans;
import io.quorate.internode.context.TestClock;
import io.quorate.internode.context.ThisNode;
import io.quorate.internode.context.Transport;
import io.quorate.internode.tls.Encryption;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.Request;
import io.quorate.membership.reports.Program;
import org.junit.jupiter.api.Test;

import static io.quorate.internode.wiring.InternodeFixture.CLIENT;
import static io.quorate.internode.wiring.InternodeFixture.PROPERTIES;
import static org.assertj.core.api.Assertions.assertThat;

/** A quiet peer: silent, or only slow. */
class FailureDetectorTests {

	private static final Reply PONG = new Reply.Pong(1, false, DataStatus.EMPTY, Program.UNKNOWN, null);

	private static final long SUSPECT_NANOS = PROPERTIES.suspectAfter().toNanos();

	private static final long DISCONNECT_NANOS = PROPERTIES.disconnectAfter().toNanos();

	private final List<Consumer<Reply>> asked = new ArrayList<>();

	private final List<String> said = new ArrayList<>();

	private final InFlightRequests inFlightRequests = new InFlightRequests(new EmbeddedChannel().eventLoop(),
			(_, _) -> this.said.add("swept"), () -> 0);

	private final FailureDetector detector = detector(true);

	private FailureDetector detector(boolean judged) {
		return new FailureDetector(new FailureDetector.Line() {

			@Override
			public void ask(Request request, Duration limit, Consumer<Reply> outcome) {
				FailureDetectorTests.this.asked.add(outcome);
			}

			@Override
			public void end(String why) {
				FailureDetectorTests.this.said.add(why);
			}

		}, "server", this.inFlightRequests,
				new PeerContext(new ThisNode(CLIENT, () -> Set.of("server")), new TestClock(1, 1), PROPERTIES,
						new Transport(Encryption.NONE, 1), IdleExchanges.ALL,
						new Observation(ReplicaSpans.NONE, new SimpleMeterRegistry())),
				judged, new FailureDetector.Listener() {

					@Override
					public void suspicionChanged() {
						FailureDetectorTests.this.said.add("suspicion changed");
					}

					@Override
					public void silent() {
						FailureDetectorTests.this.said.add("silent");
					}

					@Override
					public void pong(Reply.Pong pong, RoundTrip roundTrip) {
						assertThat(pong).isEqualTo(PONG);
					}

				});
	}

	/* As when its disk is slow: it answers keep-alives, and not what it was asked. */
	@Test
	void aSlowPeerIsNotSilent() {
		for (int i = 1; i <= 100; i++) {
			this.detector.silentFor(SUSPECT_NANOS - 1, false);
			this.detector.silentFor(SUSPECT_NANOS - 1, false);
			assertThat(this.asked).as("keep-alives").hasSize(i);
			this.asked.getLast().accept(PONG);
			this.detector.heard();
		}
		assertThat(this.said).isEmpty();
	}

	@Test
	void aSilentPeerIsSuspectUntilItIsHeard() {
		this.detector.silentFor(SUSPECT_NANOS + 1, false);
		assertThat(this.detector.isSuspect()).as("before it was asked").isFalse();
		this.detector.silentFor(2 * SUSPECT_NANOS, false);
		assertThat(this.detector.isSuspect()).isTrue();
		this.detector.heard();
		assertThat(this.detector.isSuspect()).isFalse();
		assertThat(this.said).containsExactly("suspicion changed", "suspicion changed");
	}

	@Test
	void aPeerThatStaysSilentIsDisconnectedUnlessThisNodeIsLate() {
		this.detector.silentFor(DISCONNECT_NANOS + 1, true);
		assertThat(this.said).isEmpty();
		this.detector.silentFor(DISCONNECT_NANOS + 1, false);
		assertThat(this.said).containsExactly("silent for 1500 ms");
	}

	@Test
	void silenceBehindLargeValuesIsOnlySaid() {
		detector(false).silentFor(2 * DISCONNECT_NANOS, false);
		assertThat(this.said).containsExactly("silent");
		assertThat(this.asked).isEmpty();
	}

}
