package io.quorate.command.cluster;

import java.util.regex.Pattern;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A node that joins: {@code id@host:port}, or {@code id@host:port/zone}. */
final class NodeConverter implements ITypeConverter<String> {

	private static final Pattern FORM = Pattern
		.compile("[^@/\\s]+@(?:\\[[^\\]\\s]+\\]|[^:/@\\[\\]\\s]+):\\d{1,5}(?:/[^/@\\s]+)?");

	@Override
	public String convert(String text) {
		if (!FORM.matcher(text).matches()) {
			throw new TypeConversionException("'" + text + "' is no node: write id@host:port, or id@host:port/zone");
		}
		return text;
	}

	/** The id of a node. */
	static String idOf(String node) {
		return node.substring(0, node.indexOf('@'));
	}

	/** The id of a member alone. */
	static final class Id implements ITypeConverter<String> {

		private static final Pattern FORM = Pattern.compile("[^@/\\s]+");

		@Override
		public String convert(String text) {
			if (!FORM.matcher(text).matches()) {
				throw new TypeConversionException(
						"'" + text + "' is no id: write that of the member alone, such as n2");
			}
			return text;
		}

	}

}
