package io.quorate.membership.change;

import io.quorate.meter.DocumentedMeter;
import io.quorate.meter.MeterDeclaration;

/** The meters of the layout and of changes of members. */
enum MembershipMeters implements DocumentedMeter {

	/** Version of the layout. */
	LAYOUT_VERSION(MeterDeclaration.gauge("quorate.layout.version",
			"Version of the layout that this node has adopted; NaN while it is no member")),

	/** Whether a change of members is under way. */
	LAYOUT_JOINT(MeterDeclaration.gauge("quorate.layout.joint",
			"1 while a change of members is under way, as this node knows, else 0")),

	/** Members that hold up the change of members. */
	LAYOUT_BLOCKED(MeterDeclaration.gauge("quorate.layout.blocked",
			"1 while the end of the change of members waits for another member: it has not adopted the layout, or is not up and has not copied all; else 0",
			"member"));

	@SuppressWarnings("ImmutableEnumChecker") // Its lists cannot be modified.
	private final MeterDeclaration declaration;

	MembershipMeters(MeterDeclaration declaration) {
		this.declaration = declaration;
	}

	@Override
	public MeterDeclaration declaration() {
		return this.declaration;
	}

}
