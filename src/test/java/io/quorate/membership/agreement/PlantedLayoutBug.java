package io.quorate.membership.agreement;

/** A fault that a simulation of layouts plants, to see that it is caught. */
enum PlantedLayoutBug {

	/** None: the program as it is. */
	NONE,

	/** A vote is answered, and its file is fsynced later. */
	VOTE_BEFORE_THE_FSYNC,

	/** A start makes the file anew, although votes may be in it. */
	FILE_MADE_ANEW_AT_EACH_START,

	/** A node votes without a format level: its next start makes the file anew. */
	VOTE_BELOW_THE_LEVEL,

	/** A node votes with a new directory, which may lack the file at its next start. */
	VOTE_WITH_A_NEW_DIRECTORY,

	/** The layout of the configuration is activated by a majority. */
	ACTIVATION_BY_A_MAJORITY

}
