package io.quorate.repair.purge;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.quorate.membership.layout.Layout;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import io.quorate.repair.purge.PurgeView.Why;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class PurgeViewTests {

	private final Membership membership = new Membership(
			new Layouts("n1", new Layout(Layout.FIRST, List.of(), PurgeFixture.RING)));

	@Test
	void whyAPeerHasNotAgreedIsSeen(@TempDir Path directory) {
		PurgeFixture node = new PurgeFixture(directory);
		PurgeView view = new PurgeView(node.purgePermission, this.membership, node.ago(Duration.ZERO).hybrid());
		assertThat(view.peers()).containsExactlyInAnyOrder("n2", "n3");
		assertThat(view.withheldBecauseOf("n2").seconds()).as("nothing is old enough").isZero();
		node.pass(PurgeFixture.GRACE.plusHours(1));
		assertThat(view.withheldBecauseOf("n2").seconds()).isEqualTo(3600);
		assertThat(view.withheldBecauseOf("n2").why()).isEqualTo(Why.AWAY);
		this.membership.stateChanged("n2", MemberState.UP);
		assertThat(view.withheldBecauseOf("n2").why()).isEqualTo(Why.NOT_COMPARED);
		assertThat(view.withheldBecauseOf("n3").why()).isEqualTo(Why.AWAY);
		node.purgePermission.rebuilds("n2", true);
		assertThat(view.withheldBecauseOf("n2").why()).isEqualTo(Why.REBUILDING);
		node.purgePermission.lost("n2", true);
		assertThat(view.isLost("n2")).isTrue();
		assertThat(view.withheldBecauseOf("n2").seconds()).isZero();
		assertThat(view.isLost("n3")).isFalse();
	}

}
