package io.quorate.simulation;

import java.util.List;
import java.util.function.UnaryOperator;

import io.quorate.coordinator.DrivenCoordinator;
import io.quorate.entry.Key;
import io.quorate.membership.layout.Layout;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.LayoutFence;
import io.quorate.ring.RingPair;
import org.jspecify.annotations.Nullable;

/** The rules of layouts, less the one that a planted bug leaves out. */
final class PlantedFence {

	private PlantedFence() {
	}

	static LayoutFence of(PlantedBug bug, LayoutFence real) {
		return switch (bug) {
			case NO_FENCE -> without(real, Reason.STALE_LAYOUT);
			case TAKES_EARLY -> without(real, Reason.LAYOUT_BEHIND);
			default -> real;
		};
	}

	private static LayoutFence without(LayoutFence real, Reason reason) {
		return (long layout, @Nullable Key written) -> {
			Failure refusal = real.refuses(layout, written);
			return (refusal != null && refusal.reason() == reason) ? null : refusal;
		};
	}

	static DrivenCoordinator.Planned planned(PlantedBug bug) {
		UnaryOperator<RingPair> both = (rings) -> rings;
		UnaryOperator<RingPair> before = (rings) -> new RingPair(rings.before(), rings.before(), rings.firstFactor());
		UnaryOperator<RingPair> after = (rings) -> new RingPair(rings.after(), rings.after(), rings.firstFactor());
		return switch (bug) {
			case WRITE_OLD -> new DrivenCoordinator.Planned(both, before);
			case WRITE_NEW -> new DrivenCoordinator.Planned(both, after);
			case READ_OLD -> new DrivenCoordinator.Planned(before, both);
			case READ_NEW -> new DrivenCoordinator.Planned(after, both);
			default -> new DrivenCoordinator.Planned(both, both);
		};
	}

	/** Whether a node copies from a member what it gains. */
	static boolean isCopied(PlantedBug bug, Layout layout, String self, String source) {
		return switch (bug) {
			case NO_COPY -> false;
			case COPY_ONE -> {
				List<String> sources = layout.rings()
					.before()
					.members()
					.stream()
					.map((member) -> member.id())
					.filter((id) -> !id.equals(self))
					.toList();
				yield sources.indexOf(source) == sources.size() - 1;
			}
			case DOWN_GAIN -> layout.rings().after().replicationFactor() >= layout.rings().before().replicationFactor();
			default -> true;
		};
	}

}
