package io.quorate.internode;

import java.util.UUID;

import org.jspecify.annotations.Nullable;

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

	/**
	 * Why these two do not speak to each other, with the value of both sides; or
	 * {@code null} when they do. Both ends come to the same judgement.
	 */
	static @Nullable String mismatch(Greeting ours, Greeting theirs) {
		LocalNode here = ours.node;
		LocalNode there = theirs.node;
		if (theirs.version != ours.version) {
			return "protocol version: %d there, %d here".formatted(theirs.version, ours.version);
		}
		if (!there.cluster().equals(here.cluster())) {
			return "cluster name: '%s' there, '%s' here".formatted(there.cluster(), here.cluster());
		}
		if (there.epoch() != here.epoch()) {
			return "epoch of the topology (members, zones, replication factor): %016x there, %016x here"
				.formatted(there.epoch(), here.epoch());
		}
		if (!there.id().equals(ours.expected)) {
			return "node id: '%s' there, '%s' expected".formatted(there.id(), ours.expected);
		}
		if (!theirs.expected.equals(here.id())) {
			return "node id: '%s' here, '%s' expected there".formatted(here.id(), theirs.expected);
		}
		return null;
	}

}
