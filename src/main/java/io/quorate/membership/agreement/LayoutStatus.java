package io.quorate.membership.agreement;

import java.util.List;
import java.util.Locale;

import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.MemberState;

/**
 * The state of the layout, as one node sees it.
 *
 * @param layout layout that this node has adopted
 * @param state state of that layout
 * @param members members that it names, in the order of their ids
 * @param blockedBy reasons in words for which the next layout is not decided, if one is
 * to be
 */
public record LayoutStatus(LayoutVersion layout, State state, List<Member> members, List<String> blockedBy) {

	public LayoutStatus {
		members = List.copyOf(members);
		blockedBy = List.copyOf(blockedBy);
	}

	/** The states of a layout. */
	public enum State {

		/** It is that of the configuration, and nothing has been decided yet. */
		CONFIGURED,

		/** No change is under way. */
		STABLE,

		/** A change is under way. */
		JOINT;

		static State of(LayoutRecord record) {
			if (record.isJoint()) {
				return JOINT;
			}
			return record.isActive() ? STABLE : CONFIGURED;
		}

		/** The word for people. */
		public String word() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	/**
	 * A member.
	 *
	 * @param zone its zone, empty for none
	 * @param state state of the member as this node sees it
	 * @param adopted version of the layout that it has adopted, 0 while that is not known
	 */
	public record Member(String id, String zone, MemberState state, long adopted) {
	}

}
