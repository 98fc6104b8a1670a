package io.quorate.operations;

import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.quorate.membership.agreement.LayoutStatus;
import io.quorate.membership.change.ChangeStatus;
import org.jspecify.annotations.Nullable;

/**
 * The layout of the cluster, as one node sees it.
 *
 * @param layout the layout that this node has adopted
 * @param replicationFactor greatest number of members that hold a key; during a change,
 * that of before
 * @param members its members by their ids
 * @param change change of members that is under way, left out when there is none
 * @param blockedBy reasons for which the next layout is not decided, if one is to be
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record ClusterStatus(@JsonUnwrapped Adopted layout, int replicationFactor, Map<String, Member> members,
		@Nullable ClusterChange change, List<String> blockedBy) {

	/**
	 * A layout that a node has adopted.
	 *
	 * @param hash hash of its content: two nodes with one version have one hash
	 * @param state {@code configured}, {@code stable} or {@code joint}
	 */
	record Adopted(long version, String hash, String state) {

		private static Adopted of(LayoutStatus status) {
			return new Adopted(status.layout().version(), HexFormat.of().toHexDigits(status.layout().hash()),
					status.state().word());
		}

	}

	/**
	 * A member.
	 *
	 * @param zone its zone, left out for none
	 * @param state state of the member as this node sees it
	 * @param partitions partitions of which it is a replica, on either side of a change
	 * @param adopted version of the layout that it has adopted, left out while that is
	 * not known
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	record Member(@Nullable String zone, String state, @Nullable Integer partitions, @Nullable Long adopted) {

		private static Member of(LayoutStatus.Member its, @Nullable Integer partitions) {
			return new Member(its.zone().isEmpty() ? null : its.zone(), its.state().word(), partitions,
					(its.adopted() != 0) ? its.adopted() : null);
		}

	}

	/**
	 * The layout with the progress of its change.
	 * @param partitions partitions of the members by their ids
	 */
	static ClusterStatus of(LayoutStatus status, int replicationFactor, Map<String, Integer> partitions,
			@Nullable ChangeStatus change) {
		Map<String, Member> members = new LinkedHashMap<>();
		status.members().forEach((member) -> members.put(member.id(), Member.of(member, partitions.get(member.id()))));
		return new ClusterStatus(Adopted.of(status), replicationFactor, members,
				(change != null) ? ClusterChange.of(change) : null, status.blockedBy());
	}

}
