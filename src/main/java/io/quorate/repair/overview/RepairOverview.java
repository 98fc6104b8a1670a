package io.quorate.repair.overview;

/**
 * Reports the state of repair between this node and its peers. Safe for any number of
 * threads.
 */
public interface RepairOverview {

	/**
	 * Returns the present state, as far as this node knows it. Sends no request, and does
	 * not block.
	 */
	RepairState now();

}
