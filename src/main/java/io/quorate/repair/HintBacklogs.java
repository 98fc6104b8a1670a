package io.quorate.repair;

import java.util.List;

/** Knows what this node owes to the others. */
public interface HintBacklogs {

	/** Of each member, in the order of their ids. Waits for nothing. */
	List<HintBacklog> owed();

}
