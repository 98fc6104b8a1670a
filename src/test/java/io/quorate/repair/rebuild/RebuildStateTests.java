package io.quorate.repair.rebuild;

import java.io.IOException;
import java.nio.file.Path;

import io.quorate.internode.Position;
import io.quorate.membership.Membership;
import io.quorate.repair.record.CoveredLosses;
import io.quorate.repair.record.RebuildRecord;
import io.quorate.repair.record.RebuildRecord.Step;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.repair.rebuild.TrackerFixture.OURS;
import static org.assertj.core.api.Assertions.assertThat;

class RebuildStateTests {

	@TempDir
	private Path directory;

	private Membership membership;

	private RebuildState state;

	@BeforeEach
	void start() {
		TrackerFixture n1 = new TrackerFixture(this.directory);
		this.membership = n1.membership;
		this.state = n1.rebuild;
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
		this.state.beginComplete("the same one", OURS, Position.ofSequence(6));
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

}
