package io.quorate.membership.layout;

import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.membership.members.Layouts;

/**
 * The layouts of a cluster that began with the node {@code n1} alone and has grown by
 * {@code n2} and {@code n3}, and of the directories of {@code n1}.
 */
public final class GrownCluster {

	private static final UUID LOST = new UUID(1, 1);

	private static final LayoutMember FIRST = new LayoutMember(Endpoint.parse("n1@one:7100").member(), "", 0, LOST);

	private GrownCluster() {
	}

	/** The layouts of the first node, with these seeds. */
	public static Layouts of(String... seeds) {
		return Layouts.of("n1", List.of("n1@one:7100"), null, null, List.of(seeds));
	}

	/** The same after a loss of its directory. */
	public static Layouts lost(String... seeds) {
		Layouts layouts = of(seeds);
		layouts.mayHaveLost(known(layouts, 1), true, false);
		return layouts;
	}

	/** A member that has shown all versions up to this one has this node adopt them. */
	public static void show(Layouts layouts, long version) {
		layouts.isToReach(version);
		for (long each = layouts.current().version() + 1; each <= version; each++) {
			layouts.adopt(layouts.of(each, record(layouts, each)));
		}
	}

	/** This node adopts a layout, of any members. */
	public static void adopt(Layouts layouts, Layout later) {
		layouts.adopt(later);
	}

	/** This node begins, or ends, to adopt the layout by which it joins. */
	public static void admits(Layouts layouts, boolean begins) {
		layouts.admits(begins);
	}

	/** A version is decided, and this node adopts it later. */
	public static void expect(Layouts layouts, long version) {
		layouts.expect(record(layouts, version));
	}

	/** The decision on a version. */
	public static Decision known(Layouts layouts, long version) {
		return new Decision(version, LayoutCodec.write(record(layouts, version)));
	}

	/** The decisions that a member keeps, up to version 6. */
	public static Decisions all(Layouts layouts) {
		return new Decisions(Stream.of(1L, 2L, 3L, 4L, 5L, 6L).map((version) -> known(layouts, version)).toList());
	}

	/** Version 2 is of one member, version 4 of two, and version 6 of three. */
	static LayoutRecord record(Layouts layouts, long version) {
		LayoutSide alone = new LayoutSide(List.of(FIRST), 1);
		LayoutSide two = alone.with(joiner("n2@two:7100", 2));
		return switch ((int) version) {
			case 1 -> LayoutRecord.first(layouts.configured().ring());
			case 2 -> LayoutRecord.of(alone);
			case 3 -> LayoutMachine.add(LayoutRecord.of(alone), joiner("n2@two:7100", 2), asked(2));
			case 4 -> LayoutRecord.of(two);
			case 5 -> LayoutMachine.add(LayoutRecord.of(two), joiner("n3@three:7100", 3), asked(4));
			default -> LayoutRecord.of(two.with(joiner("n3@three:7100", 3)));
		};
	}

	private static LayoutMember joiner(String address, int life) {
		return LayoutMember.of(Endpoint.parse(address), new UUID(life, life));
	}

	private static LayoutMachine.Asked asked(long version) {
		return new LayoutMachine.Asked(version, "an operator", 1000);
	}

}
