package io.quorate.repair.rebuild;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;

import io.quorate.internode.Position;
import io.quorate.membership.members.Membership;
import io.quorate.repair.record.CoveredLosses;
import io.quorate.repair.record.RebuildRecord.Step;
import io.quorate.repair.record.RebuildRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.repair.rebuild.TrackerFixture.OURS;
import static org.assertj.core.api.Assertions.assertThat;

class RebuildStateTests {

	@TempDir
	private Path directory;

	private TrackerFixture n1;

	private Membership membership;

	private RebuildState state;

	@BeforeEach
	void start() {
		this.n1 = new TrackerFixture(this.directory);
		this.membership = this.n1.membership;
		this.state = this.n1.rebuild;
	}

	@Test
	void aRebuildThatBeginsAnewSetsItsDataAsideAgain() throws IOException {
		this.state.begin("a test", OURS, Position.ofSequence(5));
		assertThat(this.state.finish(this.state.coveredLosses(), 0, true)).as("nothing is set aside").isFalse();
		this.state.setAside();
		assertThat(this.membership.emptiedFor()).isPositive();
		this.state.abandon();
		this.state.begin("another loss", OURS, Position.ofSequence(6));
		assertThat(this.state.state().step()).isEqualTo(Step.BEGUN);
		assertThat(this.membership.emptiedFor()).isZero();
		assertThat(this.state.finish(this.state.coveredLosses(), 0, true)).isFalse();
		this.state.abandon();
		this.state.beginComplete(new RebuildState.Cause("the same one", false), OURS, Position.ofSequence(6));
		assertThat(this.state.isAbandoned()).isFalse();
	}

	@Test
	void itIsNotOverWithoutItsSourcesUnlessItIsAbandoned() throws IOException {
		this.state.begin("a test", OURS, Position.ofSequence(7));
		this.state.setAside();
		CoveredLosses losses = this.state.coveredLosses();
		assertThat(this.state.finish(losses, 0, false)).isFalse();
		assertThat(RebuildRecord.open(this.directory).state().step()).isEqualTo(Step.ASIDE);
		this.state.abandon();
		assertThat(this.state.finish(losses, 0, false)).isTrue();
		assertThat(RebuildRecord.open(this.directory).state().step()).isEqualTo(Step.NONE);
	}

	private void isRebuilding(String peer, boolean so) {
		this.n1.tracker.heard(peer, UUID.nameUUIDFromBytes(peer.getBytes(StandardCharsets.UTF_8)),
				so ? TrackerFixture.rebuilding(9) : TrackerFixture.at(9));
	}

	/* Else none of them would be the source of any other. */
	@Test
	void aNodeThatHoldsItsDataIsNotRebuiltWhileAllOthersAre() {
		isRebuilding("n2", true);
		isRebuilding("n3", true);
		this.state.begin(new RebuildState.Cause("n2 has purged without it", true), OURS, Position.ofSequence(5));
		this.state.beginPostponed();
		assertThat(this.state.isRebuilding()).isFalse();
		isRebuilding("n3", false);
		this.state.beginPostponed();
		assertThat(this.state.state().why()).isEqualTo("n2 has purged without it");
	}

	@Test
	void aNodeThatHasLostDataIsRebuiltAlthoughAllOthersAre() {
		isRebuilding("n2", true);
		isRebuilding("n3", true);
		this.state.begin("other data", OURS, Position.ofSequence(5));
		assertThat(this.state.isRebuilding()).isTrue();
	}

}
