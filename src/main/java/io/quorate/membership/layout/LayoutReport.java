package io.quorate.membership.layout;

import org.jspecify.annotations.Nullable;

/**
 * The progress of a member, as it reports it to the others.
 *
 * @param adopted layout that the member has adopted; what it let in before is on its disk
 * @param copied version of the last layout that began a change in which the member has
 * copied all that it gains, 0 for none since its start
 * @param data its data in numbers, {@code null} while they are not known
 */
public record LayoutReport(LayoutVersion adopted, long copied, @Nullable MemberData data) {

	/** The report of a member without its data. */
	public LayoutReport(LayoutVersion adopted, long copied) {
		this(adopted, copied, null);
	}

	/** The report of a member that has copied nothing since its start. */
	public LayoutReport(long version, long hash) {
		this(new LayoutVersion(version, hash), 0);
	}

	/** The same report with the data of the member. */
	public LayoutReport with(@Nullable MemberData its) {
		return new LayoutReport(this.adopted, this.copied, its);
	}

	/** The layout in words. */
	@Override
	public String toString() {
		return this.adopted.toString();
	}

}
