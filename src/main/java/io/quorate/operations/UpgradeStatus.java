package io.quorate.operations;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.quorate.membership.reports.Program;
import io.quorate.membership.reports.Upgrade;
import org.jspecify.annotations.Nullable;

/**
 * The state of an upgrade, as one node sees it.
 *
 * @param version version of this node's software
 * @param formatLevel format level at which this node writes its files, 0 before it knows
 * that of the others
 * @param newestFormatLevel newest format level that its program writes
 * @param finalized whether this node writes the newest formats of its software
 * @param members the other members that have reported their programs, or are refused
 * @param objections reasons for which the upgrade cannot be finalized now
 */
record UpgradeStatus(String version, int formatLevel, int newestFormatLevel, boolean finalized,
		Map<String, Member> members, List<String> objections) {

	/**
	 * Another member.
	 *
	 * @param version version of its software
	 * @param refused reason for which this node and the member refuse each other
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	record Member(String version, int formatLevel, int newestFormatLevel, @Nullable String refused) {

		private static Member of(Program program, @Nullable String refused) {
			return new Member(program.version(), program.formatLevel(), program.newestFormatLevel(), refused);
		}

	}

	static UpgradeStatus of(Upgrade upgrade) {
		Program own = upgrade.own();
		Map<String, String> refusals = upgrade.refusals();
		Map<String, Member> members = new TreeMap<>();
		upgrade.programs().forEach((id, program) -> members.put(id, Member.of(program, refusals.get(id))));
		refusals.forEach((id, why) -> members.putIfAbsent(id, new Member("unknown", 0, 0, why)));
		return new UpgradeStatus(own.version(), own.formatLevel(), own.newestFormatLevel(), upgrade.isFinalized(),
				members, upgrade.objections());
	}

}
