package io.quorate.internode.wiring;

import java.util.UUID;

import io.quorate.clock.SkewJudge;
import io.quorate.clock.TrueTime;
import io.quorate.internode.PeerStatusExchange;
import io.quorate.internode.context.PeerListener;
import io.quorate.membership.exchange.InitialContacts;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberReports;

/**
 * Passes news of peers on to the membership, the reports of members, the judges of clocks
 * and the first contacts.
 */
record MembershipUpdater(Membership membership, MemberReports reports, SkewJudge judge, TrueTime trueTime,
		InitialContacts meetings, PeerStatusExchange peerStatusExchange) implements PeerListener {

	@Override
	public void stateChanged(String node, MemberState state) {
		this.membership.stateChanged(node, state);
	}

	@Override
	public void reached(String node) {
		this.membership.reached(node);
	}

	@Override
	public void greeted(String node, UUID storageId) {
		this.reports.met(node, storageId);
		this.meetings.settled(node);
	}

	@Override
	public void heard(String node) {
		if (this.peerStatusExchange.isInSameIncarnation(node) && this.reports.isMet(node)) {
			this.membership.met(node);
		}
	}

	@Override
	public void rebuilds(String node, boolean isRebuilding) {
		this.membership.rebuildingChanged(node, isRebuilding);
	}

	@Override
	public void notReached(String node) {
		this.meetings.settled(node);
	}

	@Override
	public void clockRead(String node, long physicalMillis) {
		this.judge.heard(node, physicalMillis);
	}

	@Override
	public void clockAnswered(String node, long physicalMillis, long askedNanos) {
		this.trueTime.heard(node, physicalMillis, askedNanos);
	}

}
