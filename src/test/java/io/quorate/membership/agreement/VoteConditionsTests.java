package io.quorate.membership.agreement;

import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.quorate.consensus.Ballot;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decree;
import io.quorate.consensus.Request;
import io.quorate.membership.layout.LayoutCodec;
import io.quorate.membership.layout.LayoutFixture;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.members.Layouts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.quorate.membership.layout.LayoutFixture.member;
import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class VoteConditionsTests {

	private final Layouts layouts = Layouts.of("n1", List.of("n0@host0:7100", "n1@host1:7100", "n2@host2:7100"), null);

	private final LayoutRecord named = LayoutFixture.stable(3, 3);

	private final Decision latest = new Decision(2, LayoutCodec.write(this.named));

	private final VoteConditions conditions = new VoteConditions("n1",
			() -> LayoutFixture.facts(Map.of(), Map.of("n1", member(1)), Map.of(), Map.of("n2", member(2).storageId())),
			new LayoutAdoption(this.layouts, member(1).storageId(), (_) -> {
			}, List.of(this.latest)), new LayoutTrouble(() -> 0));

	/*
	 * The others ask anew for as long as they are connected to the other process. The
	 * guard of the log takes the same warning once a minute, and other lines each time.
	 */
	@Test
	void eachVoteThatANodeDoesNotGiveIsTheSameWarning(CapturedOutput output) {
		Decree replaced = LayoutCodec.write(LayoutMachine.amend(this.named, member(2, "", 2)));
		for (int round = 0; round < 3; round++) {
			assertThat(this.conditions
				.mayAnswer(new Request.Accept(this.latest, new Ballot(round, new UUID(9, round)), replaced))).isFalse();
		}
		assertThat(output.getOut().lines().filter((line) -> line.contains("gives no vote"))).hasSize(3)
			.allSatisfy((line) -> assertThat(line).contains("WARN")
				.endsWith(
						"for version 3, which names another directory as n2 than that of the process which it is, or was a moment ago, connected to"));
	}

}
