package io.quorate.load;

import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quorate.client.CallOptions;
import org.jspecify.annotations.Nullable;

/**
 * What a simulation is told by system properties, each named {@code load.} and the name
 * of the component in lower case with dashes.
 *
 * @param urls where the nodes are; with none the simulation starts a cluster of its own
 * @param tokenFile file with the token of each request; {@code null} for none
 * @param ca file with the authority of the nodes' certificates, for URLs with https
 * @param clusterData directory of the {@code bin/cluster} behind the URLs; only
 * {@link KilledNodeSimulation} needs it
 * @param nodes number of nodes of a cluster of its own
 * @param port HTTP port of its first node
 * @param internodePort port of its first node for the others
 * @param rate requests in a second, of small values
 * @param seconds how long each simulation measures; of {@link RampSimulation} each level
 * @param warmUpSeconds how long the same goes on before that and is in no report
 * @param keys number of keys; all are written before anything else
 * @param valueSize bytes of a value
 * @param zipf exponent of Zipf's law by which keys are drawn, 0 for each equally often;
 * {@code null} when not told, then each simulation has its own
 * @param reads share of reads; {@code null} as above
 * @param seed of everything that is drawn
 * @param replicas of every request as {@code ack/from}; empty for the cluster's default
 * @param timeoutMillis the longest that the service may take for a request; longer than
 * by default, so that a busy machine is no error
 * @param rampFrom rate of the first level of {@link RampSimulation}
 * @param rampStep what each level adds
 * @param rampLevels most levels
 * @param largeRate requests for large values in a second
 * @param largeKeys number of large values
 * @param largeSize their bytes
 * @param scanRate scans in a second
 * @param scanRecords records of a scan
 * @param victim name of the node that is killed
 */
record Options(List<String> urls, @Nullable Path tokenFile, @Nullable Path ca, @Nullable Path clusterData, int nodes,
		int port, int internodePort, double rate, int seconds, int warmUpSeconds, int keys, int valueSize,
		@Nullable Double zipf, @Nullable Double reads, long seed, String replicas, int timeoutMillis, double rampFrom,
		double rampStep, int rampLevels, double largeRate, int largeKeys, int largeSize, double scanRate,
		int scanRecords, String victim) {

	private static final String PREFIX = "load.";

	Options {
		urls = List.copyOf(urls);
		require(nodes > 0 && nodes <= 64, "nodes", "from 1 to 64");
		require(rate > 0, "rate", "above 0");
		require(seconds > 1, "seconds", "above 1");
		require(warmUpSeconds >= 0, "warm-up-seconds", "0 or more");
		require(keys > 0 && keys <= Keys.MOST, "keys", "from 1 to " + Keys.MOST);
		require(valueSize >= 0, "value-size", "0 or more");
		require(zipf == null || zipf >= 0, "zipf", "0 or more");
		require(reads == null || (reads >= 0 && reads <= 1), "reads", "from 0 to 1");
		require(replicas.isEmpty() || replicas.matches("[0-9]+/[0-9]+"), "replicas", "as 2/3");
		require(timeoutMillis > 0 && timeoutMillis <= 30_000, "timeout-millis", "from 1 to 30000");
		require(rampFrom > 0 && rampStep > 0, "ramp-from and ramp-step", "above 0");
		require(rampLevels > 0, "ramp-levels", "above 0");
		require(largeRate > 0, "large-rate", "above 0");
		require(largeKeys > 0 && largeKeys <= Keys.MOST, "large-keys", "from 1 to " + Keys.MOST);
		require(largeSize >= 0, "large-size", "0 or more");
		require(victim.matches("n[0-9]{1,2}"), "victim", "the name of a node, as n2");
		require(scanRate > 0, "scan-rate", "above 0");
		require(scanRecords > 0 && scanRecords <= keys, "scan-records", "from 1 to the number of keys");
	}

	static Options ofSystemProperties() {
		return new Reader(System.getProperties()).read();
	}

	/** Options of the client for Java with the quorum of every request. */
	CallOptions quorum(CallOptions options) {
		int slash = this.replicas.indexOf('/');
		return (slash < 0) ? options : options.ack(Integer.parseInt(this.replicas.substring(0, slash)))
			.from(Integer.parseInt(this.replicas.substring(slash + 1)));
	}

	private static void require(boolean holds, String name, String bounds) {
		if (!holds) {
			throw new IllegalArgumentException("-D" + PREFIX + name + " must be " + bounds);
		}
	}

	/**
	 * Reads each property once and knows at the end which ones nobody has asked for.
	 */
	private static final class Reader {

		private final Properties properties;

		private final Set<String> known = new TreeSet<>();

		Reader(Properties properties) {
			this.properties = properties;
		}

		Options read() {
			Options options = new Options(
					Stream.of(text("urls", "").split(",", -1))
						.filter((url) -> !url.isBlank())
						.map(String::strip)
						.toList(),
					value("token-file", Path::of), value("ca", Path::of), value("cluster-data", Path::of),
					integer("nodes", 3), integer("port", 28080), integer("internode-port", 27100), number("rate", 1000),
					integer("seconds", 30), integer("warm-up-seconds", 10), integer("keys", 20_000),
					integer("value-size", 100), value("zipf", Double::valueOf), value("reads", Double::valueOf),
					integer("seed", 1), text("replicas", ""), integer("timeout-millis", 10_000),
					number("ramp-from", 500), number("ramp-step", 500), integer("ramp-levels", 16),
					number("large-rate", 20), integer("large-keys", 64), integer("large-size", 1 << 20),
					number("scan-rate", 50), integer("scan-records", 100), text("victim", "n2"));
			refuseUnknown();
			return options;
		}

		private void refuseUnknown() {
			Set<String> unknown = this.properties.stringPropertyNames()
				.stream()
				.filter((name) -> name.startsWith(PREFIX) && !this.known.contains(name))
				.collect(Collectors.toCollection(TreeSet::new));
			if (!unknown.isEmpty()) {
				throw new IllegalArgumentException("No such property: " + unknown + "; there are " + this.known);
			}
		}

		private String text(String name, String otherwise) {
			String text = value(name, Function.identity());
			return (text != null) ? text : otherwise;
		}

		private int integer(String name, int otherwise) {
			Integer value = value(name, Integer::valueOf);
			return (value != null) ? value : otherwise;
		}

		private double number(String name, double otherwise) {
			Double value = value(name, Double::valueOf);
			return (value != null) ? value : otherwise;
		}

		private <T> @Nullable T value(String name, Function<String, T> parsed) {
			this.known.add(PREFIX + name);
			String text = this.properties.getProperty(PREFIX + name);
			try {
				return (text != null) ? parsed.apply(text.strip()) : null;
			}
			catch (NumberFormatException ex) {
				throw new IllegalArgumentException("-D" + PREFIX + name + " must be a number, not '" + text + "'", ex);
			}
		}

	}

}
