package io.quorate.internode.peer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Condition;
import io.quorate.entry.Key;
import io.quorate.internode.context.PeerListener;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.Proposal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The clock of a peer, which its replies bring. */
class PeerClockTests {

	private static final Timestamp BALLOT = Timestamp.ofMillis(5);

	private final DrivenNodes nodes = new DrivenNodes();

	private final List<Reading> readings = new ArrayList<>();

	private record Reading(String node, long physicalMillis, long askedNanos) {
	}

	private final PeerListener listener = new PeerListener() {

		@Override
		public void clockAnswered(String node, long physicalMillis, long askedNanos) {
			PeerClockTests.this.readings.add(new Reading(node, physicalMillis, askedNanos));
		}

	};

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void keepAlivesAndPreparesBringIt() {
		this.nodes.serve(InternodeFixture.PATIENT);
		PeerReplica peer = this.nodes.peer(InternodeFixture.CLIENT, InternodeFixture.PATIENT, this.listener);
		this.nodes.settle();
		assertThat(peer.isReady()).isTrue();
		this.readings.clear();
		long begun = this.nodes.nanos();
		this.nodes.pass(Duration.ofSeconds(1));
		assertThat(this.readings).as("by keep-alives").isNotEmpty().allSatisfy((reading) -> {
			assertThat(reading.node).isEqualTo("server");
			assertThat(reading.physicalMillis).isEqualTo(DrivenNodes.PHYSICAL_MILLIS);
			assertThat(reading.askedNanos).isBetween(begun, this.nodes.nanos());
		});
		this.readings.clear();
		this.nodes.replica.sayToPrepares(new PrepareReply.Busy(1));
		var _ = this.nodes.outcome(
				peer.prepare(Key.of("key"), new Proposal(BALLOT, BALLOT, Condition.NONE, 0), InternodeFixture.soon()));
		assertThat(this.readings)
			.containsExactly(new Reading("server", DrivenNodes.PHYSICAL_MILLIS, this.nodes.nanos()));
		peer.close();
	}

}
