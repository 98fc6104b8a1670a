package io.quorate.internode.wire;

import java.util.Set;
import java.util.TreeSet;

import io.quorate.membership.layout.LayoutReport;
import io.quorate.security.Printable;
import org.jspecify.annotations.Nullable;

/**
 * A difference for which two nodes refuse each other, and which an operator has to
 * remove.
 *
 * @param field field that differs: the peer learns no more
 * @param values the field with the values of both sides: for the log and the health of
 * this node alone
 */
public record Mismatch(Field field, String values) {

	/* A name of a node or cluster has 63 characters at the most. */
	private static final int NAME_LENGTH = 80;

	/** A field of a handshake. */
	public enum Field {

		/** Version of the protocol. */
		VERSION(0, "protocol versions"),

		/** Name of the cluster. */
		CLUSTER(1, "cluster name"),

		/** Hash of the configuration that all members have to agree on. */
		EPOCH(2, "epoch of the layout (members, zones, replication factor)"),

		/** Id of the sender. */
		SPEAKER(3, "id of the node that connects"),

		/** Id of the node that is to be reached. */
		EXPECTED(4, "id of the node that is to be reached"),

		/** Layouts of two histories. */
		LAYOUT(5, "history of the layout");

		private final int number;

		private final String words;

		Field(int number, String words) {
			this.number = number;
			this.words = words;
		}

		/** Its number on the wire, which is never reused. */
		public int number() {
			return this.number;
		}

		/** Name of the field in messages. */
		public String words() {
			return this.words;
		}

	}

	/**
	 * The first field in which a handshake disagrees with this node, or {@code null} when
	 * all fields agree.
	 * @param layout layout that this node has adopted, if it takes part in decisions
	 * @param versions versions that this node speaks
	 * @param expected ids of the nodes of which one has to be the sender
	 */
	public static @Nullable Mismatch of(LocalNode here, @Nullable LayoutReport layout, Versions versions,
			Handshake theirs, Set<String> expected) {
		LocalNode there = theirs.node();
		if (!theirs.versions().meets(versions)) {
			boolean isOlder = theirs.versions().newest() < versions.oldest();
			return new Mismatch(Field.VERSION, "protocol versions: %s there, %s here; the program of %s is too old"
				.formatted(theirs.versions(), versions, isOlder ? "that node" : "this node"));
		}
		if (!there.cluster().equals(here.cluster())) {
			return new Mismatch(Field.CLUSTER,
					"cluster name: '%s' there, '%s' here".formatted(printable(there.cluster()), here.cluster()));
		}
		if (there.epoch() != here.epoch()) {
			return new Mismatch(Field.EPOCH,
					"epoch of the layout (members, zones, replication factor): %016x there, %016x here"
						.formatted(there.epoch(), here.epoch()));
		}
		LayoutReport other = theirs.layout();
		if (layout != null && other != null && layout.adopted().contradicts(other.adopted())) {
			return new Mismatch(Field.LAYOUT, "layout: %s there, %s here; %s".formatted(other, layout,
					why(layout.adopted().isOfAnotherRecovery(other.adopted()))));
		}
		if (!expected.contains(there.id())) {
			return new Mismatch(Field.SPEAKER,
					"node id: '%s' there, %s expected".formatted(printable(there.id()), new TreeSet<>(expected)));
		}
		if (!theirs.expected().equals(here.id())) {
			return new Mismatch(Field.EXPECTED,
					"node id: '%s' here, '%s' expected there".formatted(here.id(), printable(theirs.expected())));
		}
		return null;
	}

	private static String why(boolean isRecovered) {
		return isRecovered
				? "the cluster was recovered without one of the two nodes (quorate cluster recover): that with the lower"
						+ " version has to be recovered to the same layout, or be started with an empty directory"
				: "one of the two is that of another cluster or of an older copy";
	}

	private static String printable(String sent) {
		return Printable.of(sent, NAME_LENGTH);
	}

}
