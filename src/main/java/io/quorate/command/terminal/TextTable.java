package io.quorate.command.terminal;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Rows with a head, in columns as wide as their widest cell. Used by one thread. */
public final class TextTable {

	private static final String GAP = "  ";

	private final List<List<String>> rows = new ArrayList<>();

	/** A table without rows. */
	public TextTable(String... head) {
		this.rows.add(List.of(head));
	}

	/** Adds a row, which has as many cells as the head. */
	public void add(String... cells) {
		if (cells.length != this.rows.getFirst().size()) {
			throw new IllegalArgumentException("%d cells for %s".formatted(cells.length, this.rows.getFirst()));
		}
		this.rows.add(List.of(cells));
	}

	/** Prints head and rows, each on a line. */
	public void print(PrintStream out) {
		int columns = this.rows.getFirst().size();
		int[] widths = new int[columns];
		for (List<String> row : this.rows) {
			for (int i = 0; i < columns; i++) {
				widths[i] = Math.max(widths[i], length(row.get(i)));
			}
		}
		for (List<String> row : this.rows) {
			StringBuilder line = new StringBuilder();
			for (int i = 0; i < columns; i++) {
				line.append(row.get(i)).append(" ".repeat(widths[i] - length(row.get(i)))).append(GAP);
			}
			out.println(line.toString().stripTrailing());
		}
	}

	private static int length(String text) {
		return text.codePointCount(0, text.length());
	}

}
