package io.quorate.internode.wiring;

import io.quorate.internode.ProgramExchange;
import io.quorate.membership.Program;
import io.quorate.membership.Upgrade;
import org.jspecify.annotations.Nullable;

/** Passes the reports of peers on their programs on to the upgrade of the cluster. */
record UpgradePrograms(Upgrade upgrade) implements ProgramExchange {

	@Override
	public Program own() {
		return this.upgrade.own();
	}

	@Override
	public void heard(String peer, Program theirs) {
		this.upgrade.heard(peer, theirs);
	}

	@Override
	public void refused(String peer, @Nullable String why) {
		this.upgrade.refused(peer, why);
	}

}
