package io.quorate.operations;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.quorate.clock.SkewJudge;
import io.quorate.clock.TimeSource;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberEncryption;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberReports;
import io.quorate.membership.reports.Upgrade;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * The health indicator that is up while this node may coordinate: it is a member, and no
 * other process is that one, it has met a majority of the members since its start, is not
 * being rebuilt, and its clock is believed. Peers that have gone since are a detail, and
 * no reason to send clients elsewhere.
 */
@Component("clusterHealthIndicator")
final class ClusterHealth implements HealthIndicator {

	private final Layouts layouts;

	private final MemberReports reports;

	private final Membership membership;

	private final Upgrade upgrade;

	private final SkewJudge judge;

	private final TimeSource time;

	private final MemberEncryption encryption;

	ClusterHealth(Layouts layouts, MemberReports reports, Upgrade upgrade, SkewJudge judge, TimeSource time,
			MemberEncryption encryption) {
		this.layouts = layouts;
		this.reports = reports;
		this.membership = reports.membership();
		this.upgrade = upgrade;
		this.judge = judge;
		this.time = time;
		this.encryption = encryption;
	}

	boolean isReady() {
		return this.layouts.isMember() && !this.layouts.isOvertaken() && this.reports.displaced() == null
				&& this.membership.hasMetMajority() && !this.membership.isRebuilding() && !this.judge.refusesOwnClock();
	}

	/** Words about each member of which there are two processes. */
	List<String> conflicts() {
		return this.reports.conflicts();
	}

	@Override
	public Health health() {
		Map<String, Object> members = new LinkedHashMap<>();
		this.membership.states().forEach((member, state) -> members.put(member, state.word()));
		return status().withDetail("members", members)
			.withDetail("metMajority", this.membership.hasMetMajority())
			.withDetail("rebuilding", this.membership.isRebuilding())
			.withDetail("unheardJoiners", unheardJoiners())
			.withDetail("refused", this.upgrade.refusals())
			.withDetail("conflicts", this.reports.conflicts())
			.withDetail("encryption", Map.of("mode", this.encryption.mode(), "plain", this.encryption.membersInPlain()))
			.withDetail("clockBelieved", !this.judge.refusesOwnClock())
			.withDetail("clockOffsetMillis", this.time.millis() - this.judge.medianMillis())
			.build();
	}

	/* A change waits for them until an operator gives it up. */
	private List<String> unheardJoiners() {
		return this.layouts.current()
			.joiners()
			.stream()
			.filter((joiner) -> this.membership.stateOf(joiner) == MemberState.DISCONNECTED)
			.map("%s is not heard: if it will not come back, give its joining up (quorate cluster abort)"::formatted)
			.toList();
	}

	/** Up, or down with the reason in words. */
	private Health.Builder status() {
		List<String> reasons = new ArrayList<>();
		if (!this.layouts.isMember()) {
			reasons.add(this.layouts.hasLeft() ? "this node has left the cluster: it serves no keys, and can be stopped"
					: "this node is no member of the cluster: it has not joined yet");
		}
		String unfit = this.layouts.unfit();
		if (unfit != null) {
			reasons.add(unfit);
		}
		else if (this.layouts.isOvertaken()) {
			reasons.add(
					"members have a later layout, by which this node would lack keys: blockedBy in /actuator/cluster says more");
		}
		String displaced = this.reports.displaced();
		if (displaced != null) {
			reasons.add(displaced);
		}
		if (!this.membership.hasMetMajority()) {
			List<String> ahead = this.reports.ahead();
			reasons.add(!ahead.isEmpty()
					? "this node has version %d of the layout, and has yet to adopt the later one that %s reported: blockedBy in /actuator/cluster says more"
						.formatted(this.layouts.current().version(), String.join(", ", ahead))
					: "this node has not met a majority of the members since it started");
		}
		if (this.membership.isRebuilding()) {
			reasons
				.add("this node has lost data, or was away for too long, and is being rebuilt from its peers; if one of"
						+ " them cannot be copied any more, POST /actuator/recovery/end-rebuild ends that, and its description"
						+ " says what that costs");
		}
		if (this.judge.refusesOwnClock()) {
			reasons.add(this.judge.isDisputed()
					? "the clocks of this machine and of the only other member that is known are further apart than quorate.clock.max-skew"
					: "the clock of this machine is further ahead of the other members' than quorate.clock.max-skew");
		}
		return reasons.isEmpty() ? Health.up() : Health.down().withDetail("reason", String.join("; ", reasons));
	}

}
