package io.quorate.coordinator;

import java.util.List;

import io.quorate.replica.Failure.Reason;
import io.quorate.replica.WriteReply.Applied;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class UnprovenReplicasTests {

	private final ScriptedSuspects suspects = new ScriptedSuspects();

	private final ReplicaSet replicas = ReplicaSet
		.of(List.of(new ScriptedReplica("a"), new ScriptedReplica("b"), new ScriptedReplica("c")));

	private UnprovenReplicas unproven() {
		return new UnprovenReplicas(this.suspects, this.replicas.replicas());
	}

	private boolean areAsked(UnprovenReplicas unproven) {
		return unproven.areAskedBy(this.replicas.plan(Consistency.DEFAULT));
	}

	@Test
	void aReplicaIsProvenWhileItIsUp() {
		UnprovenReplicas unproven = unproven();
		assertThat(areAsked(unproven)).isFalse();
		unproven.replied("a", Applied.COMPLETE);
		assertThat(areAsked(unproven)).isFalse();
	}

	@Test
	void aReplicaThatReturnsIsProvenByItsFirstCompleteAck() {
		UnprovenReplicas unproven = unproven();
		this.suspects.suspect("b");
		assertThat(areAsked(unproven)).isTrue();
		this.suspects.returned("b");
		assertThat(areAsked(unproven)).as("without an ack").isTrue();
		unproven.replied("a", Applied.COMPLETE);
		assertThat(areAsked(unproven)).as("the ack of another").isTrue();
		unproven.replied("b", Applied.INCOMPLETE);
		unproven.replied("b", ScriptedCluster.failed(Reason.FAILED));
		assertThat(areAsked(unproven)).isTrue();
		unproven.replied("b", Applied.COMPLETE);
		assertThat(areAsked(unproven)).isFalse();
	}

	@Test
	void aReplicaThatIsAwayAtTheStartIsUnproven() {
		this.suspects.suspect("b");
		UnprovenReplicas unproven = unproven();
		this.suspects.returned("b");
		assertThat(areAsked(unproven)).isTrue();
	}

	@Test
	void aReplicaThatIsNotAskedDoesNotMatter() {
		UnprovenReplicas unproven = unproven();
		this.suspects.suspect("c");
		assertThat(unproven.areAskedBy(this.replicas.plan(new Consistency(2, 2)))).isFalse();
	}

}
