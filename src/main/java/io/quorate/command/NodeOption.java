package io.quorate.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The short options of a node, each in the place of properties. A node reads them without
 * a parser, which would take its time at each start.
 */
public enum NodeOption {

	/** The name of the node. */
	ID("NAME", "Its name, for good. Default: n0", "quorate.node.id"),

	/** The members with which the cluster begins. */
	MEMBERS("LIST", "The nodes with which the cluster begins, such as n0@10.0.0.1:7100,n1@10.0.0.2:7100",
			"quorate.cluster.members"),

	/** The address of its ports. */
	LISTEN("ADDRESS", "Where clients and other nodes reach it. Default: 127.0.0.1", "server.address",
			"quorate.internode.address"),

	/** The port for clients. */
	PORT("PORT", "The port for clients. Default: 8080", "server.port"),

	/** The directory of its data. */
	DATA("DIRECTORY", "Its data. Default: ./data", "quorate.storage.directory");

	/* Without a point in their names there are two of Spring Boot, and none of ours. */
	private static final Pattern PROPERTY = Pattern.compile("--((debug|trace)(=.*)?|[^=]+\\..*)", Pattern.DOTALL);

	private final String label;

	private final String description;

	@SuppressWarnings("ImmutableEnumChecker") // a list that cannot be changed
	private final List<String> properties;

	NodeOption(String label, String description, String... properties) {
		this.label = label;
		this.description = description;
		this.properties = List.of(properties);
	}

	/**
	 * The arguments of a node, with properties in the place of short options. What is
	 * neither stays as it is.
	 */
	public static String[] expand(String... arguments) {
		List<String> all = new ArrayList<>();
		for (int i = 0; i < arguments.length; i++) {
			String word = arguments[i];
			int equals = word.indexOf('=');
			NodeOption option = of((equals < 0) ? word : word.substring(0, equals));
			boolean isNext = equals < 0 && i + 1 < arguments.length && !arguments[i + 1].startsWith("--");
			if (option == null || (equals < 0 && !isNext)) {
				all.add(word);
				continue;
			}
			String value = isNext ? arguments[++i] : word.substring(equals + 1);
			option.properties.forEach((property) -> all.add("--" + property + "=" + value));
		}
		return all.toArray(String[]::new);
	}

	private static @Nullable NodeOption of(String word) {
		for (NodeOption option : values()) {
			if (option.word().equals(word)) {
				return option;
			}
		}
		return null;
	}

	/** Whether an argument can be a property of a node. */
	public static boolean isProperty(String argument) {
		return PROPERTY.matcher(argument).matches();
	}

	/** Describes all to the parser, for the help. */
	static void describe(CommandSpec server) {
		for (NodeOption option : values()) {
			server.addOption(OptionSpec.builder(option.word())
				.paramLabel(option.label)
				.type(String.class)
				.description(option.description + " (--" + String.join(" and --", option.properties) + ").")
				.build());
		}
	}

	private String word() {
		return "--" + name().toLowerCase(Locale.ROOT);
	}

}
