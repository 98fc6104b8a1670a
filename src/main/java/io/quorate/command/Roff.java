package io.quorate.command;

import java.util.List;

/**
 * A manual page in roff, with the macros of man(7). Texts are given as they are to be
 * read: no character of them is taken for a request or an escape. Used by one thread.
 */
final class Roff {

	private static final int LAST_ASCII = '~';

	private final StringBuilder page = new StringBuilder();

	/* Behind the title of a section a paragraph begins by itself. */
	private boolean isBeginning;

	/**
	 * A page without sections.
	 * @param name name of the page
	 * @param date day of its version, may be empty
	 * @param source program and version that it belongs to
	 */
	Roff(String name, String date, String source) {
		this.page.append(".TH %s 1 %s %s %s\n".formatted(argument(name), argument(date), argument(source),
				argument("Quorate Manual")));
		// Names are to be copied: they are neither hyphenated nor spread.
		this.page.append(".nh\n.ad l\n");
	}

	void section(String title) {
		this.page.append(".SH ").append(argument(title)).append('\n');
		this.isBeginning = true;
	}

	/** Adds a paragraph, which is filled. */
	void paragraph(String text) {
		marked(escaped(text));
	}

	/** Adds a paragraph of marked text, see {@link #bold} and {@link #italic}. */
	void marked(String text) {
		this.page.append(this.isBeginning ? "" : ".PP\n").append(line(text));
		this.isBeginning = false;
	}

	/** Adds lines that stay as they are, a step to the right. */
	void example(List<String> lines) {
		this.page.append(".IP \"\" 4\n.nf\n");
		lines.forEach((each) -> this.page.append(line(escaped(each))));
		this.page.append(".fi\n");
		this.isBeginning = false;
	}

	/**
	 * Adds an item of a list.
	 * @param term marked text of its term
	 * @param text the text of the item
	 */
	void item(String term, String text) {
		this.page.append(".TP\n").append(line(term)).append(line(escaped(text)));
		this.isBeginning = false;
	}

	/** Returns the whole page. */
	String text() {
		return this.page.toString();
	}

	/** Marks a text as one to be typed as it is. */
	static String bold(String text) {
		return "\\fB" + escaped(text) + "\\fR";
	}

	/** Marks a text as one that stands for another. */
	static String italic(String text) {
		return "\\fI" + escaped(text) + "\\fR";
	}

	/*
	 * A formatter for UTF-8 makes typographic signs of these, which no shell understands.
	 */
	static String escaped(String text) {
		StringBuilder escaped = new StringBuilder();
		text.codePoints().forEach((point) -> escaped.append(switch (point) {
			case '\\' -> "\\(rs";
			case '-' -> "\\-";
			case '\'' -> "\\(aq";
			case '"' -> "\\(dq";
			case '`' -> "\\(ga";
			case '^' -> "\\(ha";
			case '~' -> "\\(ti";
			case '\n', '\r', '\t' -> " ";
			default -> (point > LAST_ASCII) ? "\\[u%04X]".formatted(point) : Character.toString(point);
		}));
		return escaped.toString();
	}

	/* A line that begins with a dot would be a request. */
	private static String line(String escaped) {
		return (escaped.startsWith(".") ? "\\&" : "") + escaped + "\n";
	}

	private static String argument(String text) {
		return "\"" + escaped(text) + "\"";
	}

}
