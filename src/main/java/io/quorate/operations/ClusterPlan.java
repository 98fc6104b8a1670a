package io.quorate.operations;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.quorate.membership.change.MovePlan;
import org.jspecify.annotations.Nullable;

/**
 * The plan of a change of members, as operators see it.
 *
 * @param moves gains by the ids of the members
 * @param partitions partitions that they gain, all together
 * @param bytes bytes that they gain, an estimate, left out while it is not known
 * @param unanswered members that have not answered whether they hear the one that is
 * declared dead, left out when there are none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record ClusterPlan(Map<String, Move> moves, int partitions, @Nullable Long bytes,
		@JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> unanswered) {

	/**
	 * The gain of a member.
	 *
	 * @param partitions partitions that it gains
	 * @param bytes bytes of their entries, an estimate, left out while it is not known
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	record Move(int partitions, @Nullable Long bytes) {
	}

	static ClusterPlan of(MovePlan plan, List<String> unanswered) {
		Map<String, Move> moves = new LinkedHashMap<>();
		plan.moves().forEach((member, gain) -> moves.put(member, new Move(gain.partitions(), gain.bytes())));
		return new ClusterPlan(moves, plan.partitions(), plan.bytes(), unanswered);
	}

}
