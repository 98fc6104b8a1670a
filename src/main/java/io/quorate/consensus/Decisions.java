package io.quorate.consensus;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The decisions that a learner knows: the latest one, and up to {@value #KEPT} with those
 * before it, without a gap. Immutable.
 *
 * @param kept decisions in the order of their versions, one at least
 */
public record Decisions(List<Decision> kept) {

	/** The greatest number of decisions that a learner keeps. */
	public static final int KEPT = 16;

	/** Most bytes of the decrees of several decisions in one message. */
	public static final int MESSAGE_BYTES = 256 * 1024;

	public Decisions {
		kept = List.copyOf(kept);
		if (kept.isEmpty() || kept.size() > KEPT) {
			throw new IllegalArgumentException(
					"a learner keeps 1 to %d decisions, not %d".formatted(KEPT, kept.size()));
		}
		for (int i = 1; i < kept.size(); i++) {
			if (kept.get(i).version() != kept.get(i - 1).next()) {
				throw new IllegalArgumentException(
						"version %d follows version %d".formatted(kept.get(i).version(), kept.get(i - 1).version()));
			}
		}
	}

	/** The decisions of a learner that knows one. */
	public static Decisions of(Decision only) {
		return new Decisions(List.of(only));
	}

	/** The decision of the highest version. */
	public Decision latest() {
		return this.kept.getLast();
	}

	/**
	 * The decisions of later versions than this one, as far as they are kept.
	 * @throws IllegalArgumentException when there are none
	 */
	public Decisions after(long version) {
		return new Decisions(this.kept.stream().filter((decision) -> decision.version() > version).toList());
	}

	/**
	 * The decisions with one more: the same ones when it is known, or older than those
	 * kept. A decision beyond the next version leaves a gap, so that none before it is
	 * kept.
	 * @throws ConflictingDecreeException when its version is known with another content
	 */
	public Decisions with(Decision decision) {
		Decree known = contentOf(decision.version());
		if (known != null && !known.equals(decision.decree())) {
			throw new ConflictingDecreeException(decision.version(), known, decision.decree());
		}
		if (decision.version() <= latest().version()) {
			return this;
		}
		if (decision.version() != latest().next()) {
			return of(decision);
		}
		List<Decision> all = new ArrayList<>(this.kept);
		all.add(decision);
		return new Decisions(all.subList(Math.max(0, all.size() - KEPT), all.size()));
	}

	private @Nullable Decree contentOf(long version) {
		return this.kept.stream()
			.filter((decision) -> decision.version() == version)
			.map(Decision::decree)
			.findFirst()
			.orElse(null);
	}

}
