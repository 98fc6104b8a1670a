package io.quorate.storage.inspect;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A table of a report. Used by one thread. */
public final class Section {

	private final String title;

	private final List<String> columns;

	private final List<List<Object>> rows = new ArrayList<>();

	/**
	 * A table without rows.
	 * @param title title for people, and name for programs
	 */
	public Section(String title, String... columns) {
		this.title = title;
		this.columns = List.of(columns);
	}

	String title() {
		return this.title;
	}

	/**
	 * Adds a row.
	 * @param cells one for each column: a text or a number
	 */
	public void add(Object... cells) {
		if (cells.length != this.columns.size()) {
			throw new IllegalArgumentException("%d cells for %s".formatted(cells.length, this.columns));
		}
		this.rows.add(List.of(cells));
	}

	/** The rows by the names of columns, for programs. */
	List<Map<String, Object>> byName() {
		return this.rows.stream().map((row) -> {
			Map<String, Object> named = new LinkedHashMap<>();
			for (int i = 0; i < row.size(); i++) {
				named.put(this.columns.get(i), row.get(i));
			}
			return named;
		}).toList();
	}

	/** Prints the rows in columns, for people: numbers to the right. */
	void print(StringBuilder to) {
		to.append(this.title).append(this.rows.isEmpty() ? ": none\n" : "\n");
		if (this.rows.isEmpty()) {
			return;
		}
		int[] widths = new int[this.columns.size()];
		for (int i = 0; i < widths.length; i++) {
			int column = i;
			widths[i] = Math.max(this.columns.get(i).length(),
					this.rows.stream().mapToInt((row) -> row.get(column).toString().length()).max().orElse(0));
		}
		line(new ArrayList<>(this.columns), widths, to);
		this.rows.forEach((row) -> line(row, widths, to));
	}

	private void line(List<? extends Object> cells, int[] widths, StringBuilder to) {
		StringBuilder line = new StringBuilder();
		for (int i = 0; i < widths.length; i++) {
			String cell = cells.get(i).toString();
			String blanks = " ".repeat(widths[i] - cell.length());
			boolean isNumber = this.rows.getFirst().get(i) instanceof Number;
			line.append("  ").append(isNumber ? blanks + cell : cell + blanks);
		}
		to.append(line.toString().stripTrailing()).append('\n');
	}

}
