package io.quorate.process;

import java.io.IOException;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The readings of a node's meters at one instant.
 *
 * @param text in Prometheus' format
 */
record MeterReadings(String text) {

	static MeterReadings of(NodeClient node) throws IOException, InterruptedException {
		return new MeterReadings(NodeClient.text(node.getPath("/actuator/prometheus")));
	}

	/**
	 * The sum of the series with a name that have these labels.
	 * @param labels parts such as {@code peer="n2"}
	 */
	double sum(String name, String... labels) {
		return values(name, labels).mapToDouble(Double::parseDouble).sum();
	}

	/** The same of series of which there must be one at least. */
	double sumOfSome(String name, String... labels) {
		assertThat(values(name, labels)).as("series of %s", name).isNotEmpty();
		return sum(name, labels);
	}

	private Stream<String> values(String name, String... labels) {
		return Pattern.compile("(?m)^" + name + "(?<labels>\\{[^}]*})? (?<value>\\S+)$")
			.matcher(this.text)
			.results()
			.filter((series) -> has(series, labels))
			.map((series) -> series.group("value"));
	}

	private static boolean has(MatchResult series, String... labels) {
		String found = series.group("labels");
		return Stream.of(labels).allMatch((label) -> found != null && found.contains(label));
	}

}
