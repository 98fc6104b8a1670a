package io.quorate.operations;

import java.util.function.Function;

import io.quorate.membership.Departure;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stop of a pod because its StatefulSet is made smaller: Kubernetes says to no pod
 * why it stops. So the pod asks the API server. If its ordinal is none of those that the
 * StatefulSet is to have, and enough members stay, it leaves the cluster before it stops.
 * When nothing is known, or the StatefulSet is to have no pod at all, it stops as a
 * member that will be back. It asks again until its removal has begun: the StatefulSet
 * may be made larger again, or be stopped as a whole.
 */
final class ScaleDown {

	private static final Logger log = LoggerFactory.getLogger(ScaleDown.class);

	private final String node;

	private final ScaleDownProperties properties;

	private final Function<String, StatefulSetScale> api;

	private final Departure departure;

	/**
	 * The stop of a node.
	 * @param node id of the node, which is the name of its pod
	 * @param api returns the number of pods of a StatefulSet
	 */
	ScaleDown(String node, ScaleDownProperties properties, Function<String, StatefulSetScale> api,
			Departure departure) {
		this.node = node;
		this.properties = properties;
		this.api = api;
		this.departure = departure;
	}

	/**
	 * Has this node leave the cluster if its StatefulSet is made smaller. Blocks until it
	 * has left.
	 * @return whether it has left
	 */
	boolean leaveIfScaledDown() {
		String statefulSet = this.properties.statefulSet();
		if (statefulSet == null) {
			return false;
		}
		String staying = (ordinal(statefulSet) < 0)
				? "%s is no pod of the StatefulSet %s".formatted(this.node, statefulSet)
				: reasonToStay(statefulSet, this.api.apply(statefulSet));
		if (staying != null) {
			log.info("The node stops without leaving the cluster: {}", staying);
			return false;
		}
		log.info("The node leaves the cluster before it stops: the StatefulSet {} is to have no pod {}", statefulSet,
				this.node);
		return this.departure.leave(() -> reasonToStayAfterAll(statefulSet), this.properties.limit());
	}

	/*
	 * The pod is terminating, and was to go: an API server that is away for a while
	 * changes nothing about it.
	 */
	private @Nullable String reasonToStayAfterAll(String statefulSet) {
		StatefulSetScale scale = this.api.apply(statefulSet);
		if (scale instanceof StatefulSetScale.Unknown(var why, var isLasting) && !isLasting) {
			log.warn("The API server does not say how many pods {} is to have, {}: the node goes on to leave",
					statefulSet, why);
			return null;
		}
		return reasonToStay(statefulSet, scale);
	}

	private @Nullable String reasonToStay(String statefulSet, StatefulSetScale scale) {
		int ordinal = ordinal(statefulSet);
		return switch (scale) {
			case StatefulSetScale.Unknown unknown ->
				"the API server does not say how many pods %s is to have, %s".formatted(statefulSet, unknown.why());
			case StatefulSetScale.Known known when known.replicas() == 0 ->
				"%s is to have no pods for a while".formatted(statefulSet);
			case StatefulSetScale.Known known when known.keeps(ordinal) ->
				"%s is to have %d pods, this one too".formatted(statefulSet, known.replicas());
			case StatefulSetScale.Known known -> this.departure.objection(known.replicas());
		};
	}

	/** The number at the end of the name of a pod, -1 for none. */
	private int ordinal(String statefulSet) {
		String prefix = statefulSet + "-";
		String number = this.node.startsWith(prefix) ? this.node.substring(prefix.length()) : "";
		return number.matches("0|[1-9][0-9]{0,8}") ? Integer.parseInt(number) : -1;
	}

}
