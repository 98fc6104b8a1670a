package io.quorate.operations;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.quorate.membership.change.ChangeStatus.Progress;
import io.quorate.membership.change.ChangeStatus.Subject;
import io.quorate.membership.change.ChangeStatus;
import org.jspecify.annotations.Nullable;

/**
 * The change of members that is under way, as operators see it. A field that is not known
 * is left out.
 *
 * @param by operator or node that asked for it, in words
 * @param since instant at which it was asked for (ISO 8601)
 * @param step {@code adopting}, {@code copying} or {@code deciding}
 * @param gainers progress of each member that gains partitions, by their ids
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record ClusterChange(@JsonUnwrapped Subject subject, String by, String since, String step,
		@JsonUnwrapped Progress progress, Map<String, Gainer> gainers) {

	/**
	 * The members that a change concerns.
	 *
	 * @param kind {@code add}, {@code remove}, {@code replace} or {@code replication}
	 * @param member member that joins, leaves or is replaced
	 * @param node node that takes its place
	 * @param factor replication factor to be
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	record Subject(String kind, @Nullable String member, @Nullable String node, @Nullable Integer factor) {
	}

	/**
	 * The progress of the copy.
	 *
	 * @param progress part of it that is done, from 0 to 1, an estimate
	 * @param bytes bytes of entries that the gainers have received
	 * @param expectedBytes bytes that they will have received in the end, an estimate
	 * @param bytesPerSecond bytes that they have received in a second, so far
	 * @param etaSeconds seconds until its end, if it goes on as so far
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	record Progress(@Nullable Double progress, @Nullable Long bytes, @Nullable Long expectedBytes,
			@Nullable Long bytesPerSecond, @Nullable Long etaSeconds) {
	}

	/**
	 * A member that gains partitions.
	 *
	 * @param partitions their number
	 * @param progress part of its copy that is done
	 * @param bytes bytes that it has received
	 * @param complete whether it has copied all
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	record Gainer(int partitions, @Nullable Double progress, @Nullable Long bytes, boolean complete) {

		private static Gainer of(ChangeStatus.Gainer its) {
			return new Gainer(its.partitions(), its.progress().share(), its.progress().bytes(), its.complete());
		}

	}

	static ClusterChange of(ChangeStatus change) {
		Map<String, Gainer> gainers = new LinkedHashMap<>();
		change.gainers().forEach((member, gainer) -> gainers.put(member, Gainer.of(gainer)));
		ChangeStatus.Subject its = change.subject();
		ChangeStatus.Progress all = change.progress();
		return new ClusterChange(new Subject(its.kind(), its.member(), its.node(), its.factor()), change.by(),
				Instant.ofEpochMilli(change.sinceMillis()).truncatedTo(ChronoUnit.SECONDS).toString(),
				change.step().word(),
				new Progress(all.share(), all.bytes(), all.expectedBytes(), all.bytesPerSecond(), all.etaSeconds()),
				gainers);
	}

}
