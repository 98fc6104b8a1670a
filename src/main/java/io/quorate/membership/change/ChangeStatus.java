package io.quorate.membership.change;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * The change of members that is under way, as one node sees it. A number that is not
 * known is {@code null}.
 *
 * @param subject members that the change concerns
 * @param by operator or node that asked for it, in words
 * @param sinceMillis instant at which it was proposed, in milliseconds since the epoch
 * @param step step that it is at
 * @param progress progress of all gainers together
 * @param gainers progress of the members that gain partitions, by their ids
 */
public record ChangeStatus(Subject subject, String by, long sinceMillis, Step step, Progress progress,
		Map<String, Gainer> gainers) {

	public ChangeStatus {
		gainers = new TreeMap<>(gainers);
	}

	/** The steps of a change. */
	public enum Step {

		/** Not all members have adopted its layout. */
		ADOPTING,

		/** Not all members have copied what they gain. */
		COPYING,

		/** The members decide on its end. */
		DECIDING;

		/** The word for people. */
		public String word() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	/**
	 * The members that a change concerns.
	 *
	 * @param kind kind of the change, in a word
	 * @param member member that joins or leaves, if it is about one
	 * @param node node that takes the place of the member, if one does
	 * @param factor replication factor to be, if that changes
	 */
	public record Subject(String kind, @Nullable String member, @Nullable String node, @Nullable Integer factor) {
	}

	/**
	 * The progress of a copy. All but the bytes copied are estimates.
	 *
	 * @param share part of the work that is done, from 0 to 1
	 * @param bytes bytes of entries received
	 * @param expectedBytes bytes to be received until the end
	 * @param bytesPerSecond bytes received in a second, so far
	 * @param etaSeconds seconds until the end, if it goes on as so far
	 */
	public record Progress(@Nullable Double share, @Nullable Long bytes, @Nullable Long expectedBytes,
			@Nullable Long bytesPerSecond, @Nullable Long etaSeconds) {
	}

	/**
	 * A member that gains partitions.
	 *
	 * @param partitions their number
	 * @param progress its progress
	 * @param complete whether it has reported that it has copied all
	 */
	public record Gainer(int partitions, Progress progress, boolean complete) {
	}

}
