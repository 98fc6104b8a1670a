package io.quorate.command.setup;

import java.net.Inet6Address;
import java.util.regex.Pattern;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A host on which a node is to run: a name, an IPv4 address, or an IPv6 address without
 * brackets. Immutable.
 *
 * @param id the id of its node
 * @param name the host
 */
record Host(String id, String name) {

	private static final int LONGEST = 253;

	private static final String NUMBER = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";

	private static final Pattern FOUR = Pattern.compile(NUMBER + "(?:\\." + NUMBER + "){3}");

	private static final Pattern SIX = Pattern.compile("(?=.*:)[0-9A-Fa-f:.]+");

	private static final Pattern NAME = Pattern
		.compile("(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)*[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?");

	private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,62}");

	/** Whether a host is an address, not a name. */
	static boolean isAddress(String name) {
		return FOUR.matcher(name).matches() || name.contains(":");
	}

	/** Reads {@code [ID=]HOST}. Without an id the host is the id. */
	static final class Converter implements ITypeConverter<Host> {

		@Override
		public Host convert(String text) {
			int equals = text.indexOf('=');
			String name = text.substring(equals + 1).replaceFirst("^\\[(.*)]$", "$1");
			if (name.length() > LONGEST || !(FOUR.matcher(name).matches() || NAME.matcher(name).matches()
					|| (SIX.matcher(name).matches() && isSix(name)))) {
				throw new TypeConversionException(
						"'" + text + "' is no host: write a name or an address, without a port (--port), or ID=HOST");
			}
			String id = (equals < 0) ? name.replace(':', '-') : text.substring(0, equals);
			if (!ID.matcher(id).matches() || id.equals(OperatorDirectory.NAME)) {
				throw new TypeConversionException(
						"'" + id + "' is no id of a node: write ID=HOST, with 1 to 63 letters, "
								+ "digits, dots, dashes and underscores, not 'operator'");
			}
			return new Host(id, name);
		}

		/* The JDK reads it. */
		private static boolean isSix(String name) {
			try {
				return Inet6Address.ofLiteral(name) != null;
			}
			catch (IllegalArgumentException none) {
				return false;
			}
		}

	}

}
