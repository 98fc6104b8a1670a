package io.quorate.internode;

import java.util.UUID;

/**
 * What a node says of itself when a connection is new.
 *
 * @param version version of the protocol
 * @param node who speaks
 * @param expected id of the node that the speaker believes to speak to
 * @param physicalMillis the speaker's physical clock
 * @param draining whether the speaker drains
 * @param standing how it stands with the speaker's data
 * @param recollection what the speaker remembers of the other
 */
record Greeting(int version, LocalNode node, String expected, long physicalMillis, boolean draining, Standing standing,
		Recollection recollection) {

	private static final LocalNode UNKNOWN = new LocalNode("", "", 0, new UUID(0, 0));

	static Greeting of(LocalNode node, String expected, long physicalMillis, boolean draining, Standing standing,
			Recollection recollection) {
		return new Greeting(Wire.VERSION, node, expected, physicalMillis, draining, standing, recollection);
	}

	/** Of another version nothing but the version is understood. */
	static Greeting ofVersion(int version) {
		return new Greeting(version, UNKNOWN, "", 0, false, Standing.EMPTY, Recollection.NONE);
	}

}
