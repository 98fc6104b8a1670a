package io.quorate.operations;

import java.util.List;
import java.util.Map;

import io.quorate.membership.agreement.LayoutStatus;
import io.quorate.membership.change.ChangeStatus.Gainer;
import io.quorate.membership.change.ChangeStatus.Progress;
import io.quorate.membership.change.ChangeStatus.Step;
import io.quorate.membership.change.ChangeStatus.Subject;
import io.quorate.membership.change.ChangeStatus;
import io.quorate.membership.change.MovePlan;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.MemberState;
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
		assertThat(json(ClusterStatus.of(status, 3, Map.of("n0", 12_288), null))).isEqualTo("""
				{"version":7,"hash":"0000000000000abc","state":"stable","replicationFactor":3,"members":{\
				"n0":{"zone":"east","state":"up","partitions":12288,"adopted":7},\
				"n1":{"state":"draining","adopted":6},\
				"n2":{"zone":"west","state":"disconnected"}},\
				"blockedBy":["n2 is disconnected"]}""");
	}

	private static String json(Object view) {
		return JsonMapper.shared().writeValueAsString(view);
	}

	@Test
	void aChangeHasTheProgressOfItsGainers() {
		Progress progress = new Progress(0.42, 123_456L, 300_000L, 1_000_000L, 12L);
		ChangeStatus change = new ChangeStatus(new Subject("replace", "n1", "n3", null), "an operator",
				1_795_680_000_123L, Step.COPYING, progress, Map.of("n3", new Gainer(4096, progress, false)));
		assertThat(json(ClusterChange.of(change))).isEqualTo(
				"""
						{"kind":"replace","member":"n1","node":"n3","by":"an operator","since":"2026-11-26T08:00:00Z",\
						"step":"copying","progress":0.42,"bytes":123456,"expectedBytes":300000,"bytesPerSecond":1000000,\
						"etaSeconds":12,"gainers":{"n3":{"partitions":4096,"progress":0.42,"bytes":123456,"complete":false}}}""");
	}

	@Test
	void fieldsThatAreNotKnownAreLeftOut() {
		Progress unknown = new Progress(null, null, null, null, null);
		ChangeStatus change = new ChangeStatus(new Subject("replication", null, null, 4), "n1", 0, Step.ADOPTING,
				unknown, Map.of("n3", new Gainer(4096, unknown, false)));
		LayoutStatus status = new LayoutStatus(new LayoutVersion(8, 1), LayoutStatus.State.JOINT, List.of(), List.of());
		assertThat(json(ClusterStatus.of(status, 2, Map.of(), change))).isEqualTo("""
				{"version":8,"hash":"0000000000000001","state":"joint","replicationFactor":2,"members":{},\
				"change":{"kind":"replication","factor":4,"by":"n1","since":"1970-01-01T00:00:00Z","step":"adopting",\
				"gainers":{"n3":{"partitions":4096,"complete":false}}},"blockedBy":[]}""");
		assertThat(json(ClusterPlan.of(new MovePlan(Map.of("n3", new MovePlan.Gain(4096, null))), List.of())))
			.isEqualTo("{\"moves\":{\"n3\":{\"partitions\":4096}},\"partitions\":4096}");
	}

	@Test
	void aPlanNamesTheMembersThatHaveNotAnswered() {
		assertThat(json(ClusterPlan.of(new MovePlan(Map.of()), List.of("n1", "n3"))))
			.isEqualTo("{\"moves\":{},\"partitions\":0,\"bytes\":0,\"unanswered\":[\"n1\",\"n3\"]}");
	}

	@Test
	void aPlanHasWhatEachMemberGains() {
		MovePlan plan = new MovePlan(Map.of("n2", new MovePlan.Gain(4, 300L), "n1", new MovePlan.Gain(96, 700L)));
		assertThat(json(ClusterPlan.of(plan, List.of()))).isEqualTo("""
				{"moves":{"n1":{"partitions":96,"bytes":700},"n2":{"partitions":4,"bytes":300}},\
				"partitions":100,"bytes":1000}""");
	}

}
