package io.quorate.storage.compaction;

/**
 * The limits at which a merge is due.
 *
 * @param runsPerLevel runs of one level that are merged into one of the next
 * @param maxInputRuns most runs of a level merged at once, for the memory that it takes
 * @param spaceRatio greatest surplus beside the last run, in proportion to it
 * @param deadRatio greatest share of the last run that may be deleted or expired
 */
public record CompactionLimits(int runsPerLevel, int maxInputRuns, double spaceRatio, double deadRatio) {

	/**
	 * Four runs to a level, half of the last run beside it, a third of it dead.
	 */
	public static final CompactionLimits DEFAULT = new CompactionLimits(4, 32, 0.5, 1.0 / 3);

	public CompactionLimits {
		if (runsPerLevel < 2 || maxInputRuns < runsPerLevel || spaceRatio <= 0 || deadRatio <= 0) {
			throw new IllegalArgumentException(
					"limits of compaction make no sense: %d runs per level, %d at once, %s beside the last, %s dead"
						.formatted(runsPerLevel, maxInputRuns, spaceRatio, deadRatio));
		}
	}

}
