package io.quorate.operations;

import java.util.List;

import io.quorate.membership.LayoutStatus;
import io.quorate.membership.LayoutVersion;
import io.quorate.membership.MemberState;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class ClusterStatusTests {

	@Test
	void membersHaveTheirZonesStatesAndVersionsAsFarAsTheyAreKnown() {
		LayoutStatus status = new LayoutStatus(new LayoutVersion(7, 0xabc), LayoutStatus.State.STABLE,
				List.of(new LayoutStatus.Member("n0", "east", MemberState.UP, 7),
						new LayoutStatus.Member("n1", "", MemberState.DRAINING, 6),
						new LayoutStatus.Member("n2", "west", MemberState.DISCONNECTED, 0)),
				List.of("n2 is disconnected"));
		assertThat(JsonMapper.shared().writeValueAsString(ClusterStatus.of(status))).isEqualTo("""
				{"version":7,"hash":"0000000000000abc","state":"stable","members":{\
				"n0":{"zone":"east","state":"up","adopted":7},\
				"n1":{"state":"draining","adopted":6},\
				"n2":{"zone":"west","state":"disconnected"}},\
				"blockedBy":["n2 is disconnected"]}""");
	}

}
