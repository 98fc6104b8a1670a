package io.quorate.security.access;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

import io.quorate.security.access.AccessSettings.CredentialSettings;
import io.quorate.security.access.AccessSettings.KeySettings;
import io.quorate.security.access.AccessSettings.LimitSettings;
import io.quorate.security.access.AccessSettings.PrincipalSettings;
import io.quorate.security.access.AccessSettings.RightSettings;
import io.quorate.security.access.AccessSettings.TokenSettings;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.reader.UnicodeReader;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * A node of the YAML document of an access file. Each scalar is a text, as it is written:
 * no hash is taken for a number. A name that is not known, or occurs twice, is refused,
 * and so are aliases and tags. A node in whose place nothing is written is as one that is
 * left out. Immutable.
 *
 * @param name the names and positions that lead to it
 * @param node {@code null} if it is left out
 */
record AccessDocument(String name, @Nullable Node node) {

	private static final String ALL = "all";

	private static final String NOT_UNDERSTOOD = " cannot be understood";

	/*
	 * Of a field or a principal; each token has an underscore, and its secret is longer.
	 */
	private static final Pattern NAME = Pattern.compile("[^_\\p{Cntrl}]{1,32}");

	private static final Pattern DECIMAL = Pattern.compile("[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?");

	/**
	 * The settings in the only document of a file.
	 * @throws AccessFileException when it cannot be understood; the message names the
	 * place, and quotes nothing: the file may have a token by mistake
	 */
	static AccessSettings read(byte[] content) {
		LoaderOptions options = new LoaderOptions();
		options.setCodePointLimit(content.length + 1);
		List<AccessDocument> documents = new ArrayList<>();
		try {
			StreamReader reader = new StreamReader(new UnicodeReader(new ByteArrayInputStream(content)));
			Composer composer = new Composer(new UntaggedParser(reader, options), new Resolver(), options);
			while (composer.checkNode()) {
				AccessDocument document = new AccessDocument("it", checked(composer.getNode()));
				if (!document.isNothing()) {
					documents.add(document);
				}
			}
		}
		catch (YAMLException broken) {
			throw noYaml((broken instanceof MarkedYAMLException marked) ? place(marked.getProblemMark())
					: broken.getClass().getSimpleName());
		}
		if (documents.size() != 1) {
			throw new AccessFileException(
					"it has %d YAML documents that say something, not 1".formatted(documents.size()));
		}
		return documents.getFirst().settings();
	}

	private AccessSettings settings() {
		Map<String, PrincipalSettings> principals = new LinkedHashMap<>();
		fields(Set.of("principals")).getOrDefault("principals", nothing()).fields(null).forEach((name, principal) -> {
			if (!Token.isName(name)) {
				throw principal
					.wrong(": a principal is named by 1 to 32 characters a-z, 0-9 and -, and does not begin with -");
			}
			principals.put(name, principal.principal());
		});
		return new AccessSettings(principals);
	}

	private PrincipalSettings principal() {
		Map<String, AccessDocument> fields = fields(
				Set.of("tokens", "certificates", "jwt", "read", "write", "metrics", "admin", "limits"));
		Function<String, AccessDocument> field = (name) -> fields.getOrDefault(name, nothing());
		return new PrincipalSettings(
				new CredentialSettings(
						field.apply("tokens").elements(NOT_UNDERSTOOD).stream().map(AccessDocument::token).toList(),
						field.apply("certificates").texts(NOT_UNDERSTOOD), field.apply("jwt").texts(NOT_UNDERSTOOD)),
				new RightSettings(field.apply("read").keys(), field.apply("write").keys(),
						field.apply("metrics").flag(), field.apply("admin").flag()),
				field.apply("limits").limits());
	}

	private TokenSettings token() {
		Map<String, AccessDocument> fields = fields(Set.of("sha256", "until"));
		return new TokenSettings(fields.getOrDefault("sha256", nothing()).scalar(Function.identity()),
				fields.getOrDefault("until", nothing()).scalar(Function.identity()));
	}

	private LimitSettings limits() {
		Map<String, AccessDocument> fields = fields(Set.of("requests-per-second", "share"));
		return new LimitSettings(fields.getOrDefault("requests-per-second", nothing()).scalar(Integer::valueOf),
				fields.getOrDefault("share", nothing()).scalar(AccessDocument::decimal));
	}

	/* In a list the word all is a prefix like any other. */
	private KeySettings keys() {
		if (this.node instanceof ScalarNode word && word.getValue().equals(ALL)) {
			return KeySettings.ALL;
		}
		return new KeySettings(false, texts(": it is the word all, or a list of prefixes, such as [\"pay:\"]"));
	}

	private boolean flag() {
		return Boolean.TRUE.equals(scalar((text) -> switch (text) {
			case "true", "True", "TRUE" -> true;
			case "false", "False", "FALSE" -> false;
			default -> throw new IllegalArgumentException();
		}));
	}

	/* Double takes hexadecimal digits and the letters of Java's literals, too. */
	private static double decimal(String text) {
		if (!DECIMAL.matcher(text).matches()) {
			throw new IllegalArgumentException();
		}
		return Double.parseDouble(text);
	}

	/* Of names that are known; null for any. */
	private Map<String, AccessDocument> fields(@Nullable Set<String> known) {
		Map<String, AccessDocument> fields = new LinkedHashMap<>();
		if (isNothing()) {
			return fields;
		}
		if (!(this.node instanceof MappingNode mapping)) {
			throw wrong(NOT_UNDERSTOOD);
		}
		for (NodeTuple each : mapping.getValue()) {
			if (!(checked(each.getKeyNode()) instanceof ScalarNode key) || fields.containsKey(key.getValue())) {
				throw noYaml(place(each.getKeyNode().getStartMark()));
			}
			String above = this.name.equals("it") ? "" : this.name + ".";
			AccessDocument field = new AccessDocument(above + shown(key.getValue()), checked(each.getValueNode()));
			if (known != null && !known.contains(key.getValue())) {
				throw field.wrong(NOT_UNDERSTOOD);
			}
			fields.put(key.getValue(), field);
		}
		return fields;
	}

	private List<AccessDocument> elements(String otherwise) {
		List<AccessDocument> elements = new ArrayList<>();
		if (isNothing()) {
			return elements;
		}
		if (!(this.node instanceof SequenceNode sequence)) {
			throw wrong(otherwise);
		}
		sequence.getValue()
			.forEach(
					(each) -> elements.add(new AccessDocument(this.name + "[" + elements.size() + "]", checked(each))));
		return elements;
	}

	private List<String> texts(String otherwise) {
		List<String> texts = new ArrayList<>();
		for (AccessDocument element : elements(otherwise)) {
			if (!(element.node instanceof ScalarNode text)) {
				throw new AccessDocument(this.name, element.node).wrong(otherwise);
			}
			texts.add(text.getValue());
		}
		return texts;
	}

	private <T> @Nullable T scalar(Function<String, T> reader) {
		if (isNothing()) {
			return null;
		}
		if (!(this.node instanceof ScalarNode scalar)) {
			throw wrong(NOT_UNDERSTOOD);
		}
		try {
			return reader.apply(scalar.getValue());
		}
		catch (IllegalArgumentException another) {
			throw wrong(NOT_UNDERSTOOD);
		}
	}

	private static AccessDocument nothing() {
		return new AccessDocument("", null);
	}

	private boolean isNothing() {
		return this.node == null || (this.node instanceof ScalarNode scalar && scalar.isPlain()
				&& (scalar.getValue().isEmpty() || Resolver.NULL.matcher(scalar.getValue()).matches()));
	}

	/* A prefix with half of a character would become another. */
	private static Node checked(Node node) {
		if (node instanceof ScalarNode scalar && !StandardCharsets.UTF_8.newEncoder().canEncode(scalar.getValue())) {
			throw new AccessFileException(
					"half of a character (a surrogate) cannot be used, " + place(node.getStartMark()));
		}
		return node;
	}

	private static AccessFileException noYaml(String place) {
		return new AccessFileException("it is no YAML: " + place);
	}

	private AccessFileException wrong(String said) {
		return new AccessFileException(
				"%s%s, %s".formatted(this.name, said, place((this.node != null) ? this.node.getStartMark() : null)));
	}

	/* A name may be a token that was pasted in its place. */
	private static String shown(String name) {
		return NAME.matcher(name).matches() ? name : "?";
	}

	private static String place(@Nullable Mark mark) {
		return (mark != null) ? "line %d, column %d".formatted(mark.getLine() + 1, mark.getColumn() + 1)
				: "at an unknown place";
	}

	/**
	 * A parser that refuses aliases and tags, the one that is an exclamation mark alone,
	 * too.
	 */
	private static final class UntaggedParser extends ParserImpl {

		private UntaggedParser(StreamReader reader, LoaderOptions options) {
			super(reader, options);
		}

		@Override
		public Event getEvent() {
			Event event = super.getEvent();
			String tag = switch (event) {
				case ScalarEvent scalar -> scalar.getTag();
				case CollectionStartEvent start -> start.getTag();
				default -> null;
			};
			// An alias needs an anchor.
			if (tag != null || (event instanceof NodeEvent node && node.getAnchor() != null)) {
				throw new AccessFileException("aliases and tags cannot be used, " + place(event.getStartMark()));
			}
			return event;
		}

	}

}
