package io.quorate.membership.layout;

import java.util.Locale;

/**
 * The change that a joint layout is on the way to. Immutable.
 *
 * @param kind kind of the change
 * @param member id of the member that joins, leaves, or takes the place of another one;
 * empty for a change of the replication factor
 * @param version version of the layout that began the change
 * @param by operator or node that asked for it, in words
 * @param sinceMillis instant at which it was proposed, in milliseconds since the epoch,
 * for people only
 */
public record LayoutChange(Kind kind, String member, long version, String by, long sinceMillis) {

	private static final int MAX_BY = 255;

	public LayoutChange {
		by = (by.length() > MAX_BY) ? by.substring(0, MAX_BY) : by;
	}

	/** The kinds of changes. */
	public enum Kind {

		/** A member joins. */
		ADD(1),

		/** A member leaves. */
		REMOVE(2),

		/** A member takes the place of another one. */
		REPLACE(3),

		/** The replication factor changes. */
		REPLICATION(4);

		/** The number that stands for the kind in the bytes of a layout. */
		final int code;

		Kind(int code) {
			this.code = code;
		}

		/** The word for people. */
		public String word() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
