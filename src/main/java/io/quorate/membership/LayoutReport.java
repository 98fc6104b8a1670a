package io.quorate.membership;

/**
 * The progress of a member, as it reports it to the others.
 *
 * @param adopted layout that the member has adopted; what it let in before is on its disk
 * @param copied version of the last layout that began a change in which the member has
 * copied all that it gains, 0 for none since its start
 */
public record LayoutReport(LayoutVersion adopted, long copied) {

	/** The report of a member that has copied nothing since its start. */
	public LayoutReport(long version, long hash) {
		this(new LayoutVersion(version, hash), 0);
	}

	/** The layout in words. */
	@Override
	public String toString() {
		return this.adopted.toString();
	}

}
