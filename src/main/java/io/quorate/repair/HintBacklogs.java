package io.quorate.repair;

import java.util.List;

/** The hint backlogs of this node. */
public interface HintBacklogs {

	/** Returns the backlog of each member, in the order of their ids. Does not block. */
	List<HintBacklog> owed();

}
