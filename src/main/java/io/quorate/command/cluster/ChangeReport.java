package io.quorate.command.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.quorate.command.terminal.Progress;
import io.quorate.command.terminal.ProgressUnit;
import io.quorate.command.terminal.TextTable;
import tools.jackson.databind.JsonNode;

/**
 * The change of members that is under way, as a node reports it. Each field may be
 * missing.
 *
 * @param json the report
 */
record ChangeReport(JsonNode json) {

	private static final double PERCENT = 100;

	boolean isThere() {
		return this.json.isObject();
	}

	/** The members that come and go, in words. */
	String words() {
		String member = text("member", "a member");
		return switch (text("kind", "")) {
			case "add" -> member + " joins";
			case "remove" -> member + " leaves";
			case "replace" -> text("node", "a node") + " takes the place of " + member;
			case "replication" -> "the replication factor becomes " + text("factor", "another one");
			default -> "the members change";
		};
	}

	/** The step that it is in, such as {@code copying}. */
	String step() {
		return text("step", "changing");
	}

	/** The principal who asked for it, and the instant, in words. */
	String origin() {
		List<String> origin = new ArrayList<>();
		if (has("by")) {
			origin.add("by " + text("by", ""));
		}
		if (has("since")) {
			origin.add("since " + text("since", ""));
		}
		return String.join(", ", origin);
	}

	/** The part that is done, 0 to 1, or {@link Double#NaN}. */
	double share() {
		return share(this.json);
	}

	private static double share(JsonNode of) {
		JsonNode share = of.path("progress");
		return share.isNumber() ? Math.clamp(share.asDouble(), 0, 1) : Double.NaN;
	}

	/** The amounts that are known: bytes, their rate, and the time that is left. */
	List<String> amounts() {
		List<String> amounts = new ArrayList<>();
		if (has("bytes")) {
			amounts.add(bytes(this.json.path("bytes"))
					+ (has("expectedBytes") ? " of " + bytes(this.json.path("expectedBytes")) : ""));
		}
		if (has("bytesPerSecond")) {
			amounts.add(ProgressUnit.BYTES.rate(this.json.path("bytesPerSecond").asDouble(0)));
		}
		if (has("etaSeconds")) {
			amounts.add("ETA " + Progress.duration(Math.round(this.json.path("etaSeconds").asDouble(0))));
		}
		return amounts;
	}

	boolean hasGainers() {
		return !this.json.path("gainers").isEmpty();
	}

	/** The members that gain partitions. */
	TextTable gainers() {
		TextTable table = new TextTable("GAINER", "PARTITIONS", "PROGRESS", "BYTES", "COMPLETE");
		for (Map.Entry<String, JsonNode> gainer : this.json.path("gainers").properties()) {
			JsonNode its = gainer.getValue();
			JsonNode complete = its.path("complete");
			table.add(gainer.getKey(), count(its.path("partitions")), percent(share(its)), bytes(its.path("bytes")),
					complete.isBoolean() ? (complete.asBoolean() ? "yes" : "no") : "-");
		}
		return table;
	}

	/** A share in percent. */
	static String percent(double share) {
		return Double.isNaN(share) ? "-" : String.format(Locale.ROOT, "%.0f %%", share * PERCENT);
	}

	/** A number of things. */
	static String count(JsonNode number) {
		return number.isNumber() ? String.format(Locale.ROOT, "%,d", number.asLong()) : "-";
	}

	/** A number of bytes. */
	static String bytes(JsonNode number) {
		return number.isNumber() ? ProgressUnit.BYTES.amount(number.asLong()) : "-";
	}

	private boolean has(String field) {
		return this.json.hasNonNull(field);
	}

	private String text(String field, String otherwise) {
		return this.json.path(field).asString(otherwise);
	}

}
