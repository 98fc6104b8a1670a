package io.quorate.api;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import io.quorate.coordinator.ReplicationLatency;
import io.quorate.repair.overview.PairState;
import io.quorate.repair.overview.RepairState;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The document on the differences between replicas; its fields are named as in JSON.
 *
 * @param node id of the node that answers
 * @param rebuilding whether it is rebuilt from its peers, and cannot be read
 * @param purgedAgeSeconds age from which on deletions may have been purged
 * @param writes times until the writes that it coordinates are on all of their replicas
 * @param peers the differences between the node and each of its peers
 */
record ConsistencyDocument(String node, boolean rebuilding, @Nullable Double purgedAgeSeconds, Writes writes,
		List<PairState> peers) {

	/* People read it too. */
	private static final JsonMapper MAPPER = JsonMapper.builder()
		.enable(SerializationFeature.INDENT_OUTPUT)
		.disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
		.build();

	private static final double NANOS_PER_MICRO = 1_000;

	private static final double MICROS_PER_MILLI = 1_000;

	static ConsistencyDocument of(RepairState state, ReplicationLatency.Recent recent) {
		return new ConsistencyDocument(state.node(), state.rebuilding(), state.purgedAgeSeconds(), Writes.of(recent),
				state.pairs());
	}

	byte[] toJson() {
		return (MAPPER.writeValueAsString(this) + "\n").getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Writes of the last minutes.
	 *
	 * @param lastSeconds length of that time, about
	 * @param everywhere writes that all of their replicas hold
	 * @param p50Millis time from their beginning within which half of them got there
	 * @param p99Millis time within which 99 of a hundred did
	 * @param missed writes that a replica has missed: hints and repairs deliver them
	 * @param superseded writes for which a replica holds a newer entry
	 */
	record Writes(long lastSeconds, long everywhere, @Nullable Double p50Millis, @Nullable Double p99Millis,
			long missed, long superseded) {

		private static Writes of(ReplicationLatency.Recent recent) {
			return new Writes(recent.span().toSeconds(), recent.count(), millis(recent.median()), millis(recent.p99()),
					recent.missed(), recent.superseded());
		}

		private static @Nullable Double millis(@Nullable Duration time) {
			return (time != null) ? Math.round(time.toNanos() / NANOS_PER_MICRO) / MICROS_PER_MILLI : null;
		}

	}

}
