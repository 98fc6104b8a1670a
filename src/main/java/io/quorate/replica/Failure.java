package io.quorate.replica;

/**
 * The reason for which a replica did not carry out a request.
 *
 * @param reason the kind of failure
 * @param detail for people, with its numbers
 */
public record Failure(Reason reason, String detail) {

	/**
	 * Kinds of failure. A <em>refusal</em> is certain to have left the store as it was;
	 * after anything else a write may have happened.
	 */
	public enum Reason {

		/** A bound was reached. */
		OVERLOADED("overloaded", true),

		/** The disk has too little room. */
		DISK_FULL("disk-full", true),

		/** The store of the node has failed, and takes no writes before a restart. */
		BROKEN("broken", true),

		/** The node is about to stop. */
		DRAINING("draining", true),

		/** Data that the request needs is damaged. */
		CORRUPT("corrupt", true),

		/** The timestamp of the entry is too far in the future to be believed. */
		CLOCK_SKEW("clock-skew", true),

		/** There is no connection to the node: nothing was sent. */
		DISCONNECTED("disconnected", true),

		/**
		 * The node does not know yet whether it holds all entries that it should: it has
		 * just started, or is in another incarnation of the cluster than the sender.
		 */
		JOINING("joining", true),

		/**
		 * The hint is so old that the node may have purged the tombstone that deleted its
		 * entry.
		 */
		FENCED("fenced", true),

		/** The node is being rebuilt, and accepts only new writes. */
		REBUILDING("rebuilding", true),

		/**
		 * The entry belongs to a comparison older than one that the node has confirmed.
		 */
		STALE_ROUND("stale-round", true),

		/**
		 * The request was planned under a layout of the cluster before the one that the
		 * node has adopted, or the node has met no majority since its start, and its
		 * peers have a later layout.
		 */
		STALE_LAYOUT("stale-layout", true),

		/**
		 * The write was planned under a layout after the one that the node has adopted,
		 * by which the node is no replica of the key; or any request was, and the node
		 * has met no majority since its start. Or the node joins, and has not noted yet
		 * that its directory is that of a member.
		 */
		LAYOUT_BEHIND("layout-behind", true),

		/** The node runs a program that does not know the request: nothing was sent. */
		UNSUPPORTED("unsupported", true),

		/** No reply arrived in time. */
		TIMEOUT("timeout", false),

		/** The store or the way to it has failed. */
		FAILED("failed", false);

		private final String word;

		private final boolean refusal;

		Reason(String word, boolean refusal) {
			this.word = word;
			this.refusal = refusal;
		}

		/** The word that problem documents, logs and meters use for it. */
		public String word() {
			return this.word;
		}

		/**
		 * Whether the request is to be planned anew: the node refuses it because of the
		 * layouts of the cluster that sender and node have adopted.
		 */
		public boolean isOfLayout() {
			return this == STALE_LAYOUT || this == LAYOUT_BEHIND;
		}

		/** Whether the store is certain to be as it was. */
		public boolean isRefusal() {
			return this.refusal;
		}

	}

}
