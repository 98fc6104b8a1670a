package io.quorate.coordinator;

import java.util.function.Consumer;

import io.quorate.membership.MemberState;
import io.quorate.membership.Membership;

/** The members that are not up: silent, about to stop, or disconnected. */
record AbsentMembers(Membership membership) implements Suspects {

	@Override
	public boolean isSuspect(String node) {
		return this.membership.stateOf(node) != MemberState.UP;
	}

	@Override
	public void onSuspect(Consumer<String> listener) {
		this.membership.onSuspect(listener);
	}

}
