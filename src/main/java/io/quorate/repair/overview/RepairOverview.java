package io.quorate.repair.overview;

/** Knows how far this node and its peers are apart. Safe for any number of threads. */
public interface RepairOverview {

	/** How things stand now. Asks nobody, and waits for nothing. */
	RepairState now();

}
