package io.quorate.internode.wiring;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.quorate.internode.DataStatus;
import io.quorate.internode.LastKnownStatus;
import io.quorate.internode.PeerStatusExchange;
import io.quorate.internode.Position;
import io.quorate.internode.ProgramExchange;
import io.quorate.internode.wire.LocalNode;
import io.quorate.membership.change.CandidateContact.Candidate;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.reports.Program;
import io.quorate.ring.Member;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.quorate.internode.wiring.InternodeFixture.PATIENT;
import static io.quorate.internode.wiring.InternodeFixture.SERVER;
import static org.assertj.core.api.Assertions.assertThat;

/** The handshake of a member with a node that is to join, over real sockets. */
class CandidateMeetingTests {

	private final InternodeFixture nodes = new InternodeFixture();

	private final List<String> heard = new CopyOnWriteArrayList<>();

	@AfterEach
	void close() {
		this.nodes.close();
	}

	private CompletableFuture<Candidate> meet(LocalNode candidate, long sequence) {
		this.nodes.serverAcquaintances = new Reports(sequence, new CopyOnWriteArrayList<>());
		this.nodes.clientAcquaintances = new Reports(1, this.heard);
		this.nodes.clientPrograms = new Programs(this.heard);
		Endpoint endpoint = new Endpoint(Member.of("server"), "127.0.0.1", this.nodes.serve(candidate).port());
		return this.nodes.internode(PATIENT).meet(endpoint);
	}

	@Test
	void aMemberLearnsWhetherACandidateHasData() throws Exception {
		assertThat(meet(SERVER, 0).get(1, TimeUnit.MINUTES)).isEqualTo(new Candidate(SERVER.storageId(), false, null));
		assertThat(meet(SERVER, 7).get(1, TimeUnit.MINUTES)).isEqualTo(new Candidate(SERVER.storageId(), true, null));
		assertThat(this.heard).as("it is no peer").isEmpty();
		assertThat(this.nodes.clientMeters.getMeters()).noneMatch((its) -> its.getId().getTag("peer") != null);
	}

	@Test
	void aCandidateOfAnotherClusterIsRefusedInWords() {
		LocalNode other = new LocalNode("server", "another", SERVER.epoch(), SERVER.storageId());
		assertThat(meet(other, 0)).failsWithin(InternodeFixture.PATIENCE)
			.withThrowableThat()
			.withMessageContaining("cluster name");
		assertThat(this.heard).isEmpty();
	}

	/** Reports of a node on its data, and those that it receives. */
	private record Reports(long sequence, List<String> heard) implements PeerStatusExchange {

		@Override
		public DataStatus dataStatus(String peer) {
			return new DataStatus(position(peer), false, new DataStatus.Incarnation(0, 0, false), 0, 0, 0);
		}

		@Override
		public Position position(String peer) {
			return new Position(3, 4, this.sequence);
		}

		@Override
		public LastKnownStatus recollectionOf(String peer) {
			return LastKnownStatus.NONE;
		}

		@Override
		public void met(String peer, UUID storageId, DataStatus theirs, LastKnownStatus ofUs) {
			this.heard.add(peer + " is met");
		}

		@Override
		public void heard(String peer, UUID storageId, DataStatus theirs) {
			this.heard.add(peer + " is heard");
		}

		@Override
		public boolean isInSameIncarnation(String peer) {
			return true;
		}

		@Override
		public void acknowledged(String peer, UUID storageId, Position position) {
		}

	}

	/** The programs that a node hears of. */
	private record Programs(List<String> heard) implements ProgramExchange {

		@Override
		public Program own() {
			return Program.UNKNOWN;
		}

		@Override
		public void heard(String peer, Program theirs) {
			this.heard.add(peer + " runs " + theirs);
		}

		@Override
		public void refused(String peer, @Nullable String why) {
			this.heard.add(peer + " is refused");
		}

	}

}
