package io.quorate.repair.rebuild;

import java.nio.file.Path;
import java.util.stream.Stream;

import io.quorate.internode.DataStatus;
import io.quorate.internode.Position;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import io.quorate.repair.purge.PurgeFixture;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** The cases in which n1 is rebuilt at an operator's command. */
class OperatorCommandsTests {

	@TempDir
	private Path directory;

	private record Node(Membership membership, RebuildState state, PeerStatusTracker tracker,
			OperatorCommands operatorCommands) {

		static Node of(Path directory, int replicationFactor) {
			Ring ring = Ring.of(Stream.of("n1", "n2", "n3").map(Member::of).toList(), replicationFactor);
			TrackerFixture n1 = new TrackerFixture(directory, ring);
			return new Node(n1.membership, n1.rebuild, n1.tracker,
					new OperatorCommands(n1.layouts, n1.membership, n1.node.purgePermission, n1.rebuild, n1.tracker));
		}

	}

	private static Node connected(Path directory) {
		Node node = Node.of(directory, 3);
		node.membership().stateChanged("n2", MemberState.UP);
		node.membership().stateChanged("n3", MemberState.UP);
		return node;
	}

	@Test
	void aNodeIsRebuiltWhenAllItCopiesFromAreWell() {
		Node node = connected(this.directory);
		node.operatorCommands().rebuild();
		assertThat(node.state().isRebuilding()).isTrue();
		assertThat(node.state().coveredLosses().sequenceOf(node.tracker().storageId())).isEqualTo(100);
		assertThatIllegalStateException().isThrownBy(node.operatorCommands()::rebuild).withMessageContaining("already");
	}

	@Test
	void aNodeIsNotRebuiltWhileAnotherIsAway() {
		Node node = connected(this.directory);
		node.membership().stateChanged("n3", MemberState.DISCONNECTED);
		assertThatIllegalStateException().isThrownBy(node.operatorCommands()::rebuild).withMessageContaining("n3");
		assertThat(node.state().isRebuilding()).isFalse();
	}

	/* Each would wait for the other. */
	@Test
	void aNodeIsNotRebuiltWhileAnotherIsBeingRebuilt() {
		Node node = connected(this.directory);
		node.tracker()
			.heard("n2", PurgeFixture.ID2, new DataStatus(Position.ofSequence(1), true,
					new DataStatus.Incarnation(0, PurgeFixture.HISTORY, false), 0, 0, 30_000));
		assertThatIllegalStateException().isThrownBy(node.operatorCommands()::rebuild).withMessageContaining("n2");
		assertThat(node.state().isRebuilding()).isFalse();
	}

	/* Its peers would not follow, and have it rebuilt. */
	@Test
	void noIncarnationBeginsWhileAMajorityIsWhole() {
		Node node = connected(this.directory);
		node.tracker()
			.heard("n2", PurgeFixture.ID2, new DataStatus(Position.ofSequence(1), false,
					new DataStatus.Incarnation(0, PurgeFixture.HISTORY, false), 0, 0, 30_000));
		assertThatIllegalStateException().isThrownBy(node.operatorCommands()::beginIncarnation)
			.withMessageContaining("is in incarnation 0");
		node.tracker()
			.heard("n2", PurgeFixture.ID2, new DataStatus(Position.ofSequence(1), true,
					new DataStatus.Incarnation(0, PurgeFixture.HISTORY, false), 0, 0, 30_000));
		node.operatorCommands().beginIncarnation();
		assertThat(node.tracker().dataStatus("n2").incarnation().number()).isEqualTo(1);
	}

	@Test
	void aNodeWithoutReplicasIsNotRebuilt() {
		Node node = Node.of(this.directory, 1);
		assertThatIllegalStateException().isThrownBy(node.operatorCommands()::rebuild)
			.withMessageContaining("no other");
		assertThat(node.state().isRebuilding()).isFalse();
	}

}
