package io.quorate.security.access;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

import io.quorate.security.access.AccessSettings.KeySettings;
import io.quorate.security.access.AccessSettings.LimitSettings;
import io.quorate.security.access.AccessSettings.PrincipalSettings;
import io.quorate.security.access.AccessSettings.TokenSettings;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.reader.UnicodeReader;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * The YAML document of an access file, which is read event by event: a tree of it would
 * only be read once. Each scalar is a text, as it is written: no hash is taken for a
 * number. A name that is not known, or occurs twice, is refused, and so are aliases and
 * tags.
 */
final class AccessDocument {

	private static final String ALL = "all";

	/*
	 * Of a field or a principal; each token has an underscore, and its secret is longer.
	 */
	private static final Pattern NAME = Pattern.compile("[^_\\p{Cntrl}]{1,32}");

	private static final Pattern DECIMAL = Pattern.compile("[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?");

	private final Iterator<Event> events;

	/* The first event that was not taken yet. */
	private Event next;

	/* The names and positions that lead to it. */
	private final Deque<Object> path = new ArrayDeque<>();

	private AccessDocument(byte[] content) {
		LoaderOptions options = new LoaderOptions();
		options.setCodePointLimit(content.length + 1);
		this.events = new Yaml(options).parse(new UnicodeReader(new ByteArrayInputStream(content))).iterator();
		this.next = this.events.next();
	}

	/**
	 * The settings in the only document of a file.
	 * @throws AccessFileException when it cannot be understood; the message names the
	 * place, and quotes nothing: the file may have a token by mistake
	 */
	static AccessSettings read(byte[] content) {
		try {
			return new AccessDocument(content).only();
		}
		catch (YAMLException broken) {
			throw noYaml((broken instanceof MarkedYAMLException marked) ? place(marked.getProblemMark())
					: broken.getClass().getSimpleName());
		}
	}

	/* A document that says nothing is none. */
	private AccessSettings only() {
		AccessSettings only = null;
		take();
		while (this.next.is(Event.ID.DocumentStart)) {
			take();
			if (isNull()) {
				take();
			}
			else if (only == null) {
				only = settings();
			}
			else {
				throw documents("several");
			}
			take();
		}
		if (only == null) {
			throw documents("0");
		}
		return only;
	}

	private AccessSettings settings() {
		Map<String, PrincipalSettings> principals = new LinkedHashMap<>();
		for (Fields fields = new Fields(); fields.advance();) {
			if (!fields.name().equals("principals")) {
				throw notUnderstood();
			}
			for (Fields named = new Fields(); named.advance();) {
				if (!Token.isName(named.name())) {
					throw wrong(
							": a principal is named by 1 to 32 characters a-z, 0-9 and -, and does not begin with -");
				}
				principals.put(named.name(), principal());
			}
		}
		return new AccessSettings(principals);
	}

	private PrincipalSettings principal() {
		List<TokenSettings> tokens = List.of();
		List<String> certificates = List.of();
		List<String> jwt = List.of();
		KeySettings read = KeySettings.NONE;
		KeySettings write = KeySettings.NONE;
		boolean metrics = false;
		boolean admin = false;
		LimitSettings limits = LimitSettings.NONE;
		for (Fields fields = new Fields(); fields.advance();) {
			switch (fields.name()) {
				case "tokens" -> tokens = tokens();
				case "certificates" -> certificates = texts(" cannot be understood");
				case "jwt" -> jwt = texts(" cannot be understood");
				case "read" -> read = keys();
				case "write" -> write = keys();
				case "metrics" -> metrics = Boolean.TRUE.equals(scalar(AccessDocument::flag));
				case "admin" -> admin = Boolean.TRUE.equals(scalar(AccessDocument::flag));
				case "limits" -> limits = limits();
				default -> throw notUnderstood();
			}
		}
		return new PrincipalSettings(tokens, certificates, jwt, read, write, metrics, admin, limits);
	}

	private List<TokenSettings> tokens() {
		List<TokenSettings> tokens = new ArrayList<>();
		if (begins(Event.ID.SequenceStart)) {
			while (!this.next.is(Event.ID.SequenceEnd)) {
				this.path.addLast(tokens.size());
				tokens.add(token());
				this.path.removeLast();
			}
			take();
		}
		return tokens;
	}

	private TokenSettings token() {
		String sha256 = null;
		String until = null;
		for (Fields fields = new Fields(); fields.advance();) {
			switch (fields.name()) {
				case "sha256" -> sha256 = scalar(Function.identity());
				case "until" -> until = scalar(Function.identity());
				default -> throw notUnderstood();
			}
		}
		return new TokenSettings(sha256, until);
	}

	private LimitSettings limits() {
		Integer requestsPerSecond = null;
		Double share = null;
		for (Fields fields = new Fields(); fields.advance();) {
			switch (fields.name()) {
				case "requests-per-second" -> requestsPerSecond = scalar(Integer::valueOf);
				case "share" -> share = scalar(AccessDocument::decimal);
				default -> throw notUnderstood();
			}
		}
		return new LimitSettings(requestsPerSecond, share);
	}

	/* In a list the word all is a prefix like any other. */
	private KeySettings keys() {
		if (this.next instanceof ScalarEvent word && word.getValue().equals(ALL)) {
			take();
			return KeySettings.ALL;
		}
		return new KeySettings(false, texts(": it is the word all, or a list of prefixes, such as [\"pay:\"]"));
	}

	private List<String> texts(String otherwise) {
		List<String> texts = new ArrayList<>();
		if (isNull()) {
			take();
			return texts;
		}
		if (!this.next.is(Event.ID.SequenceStart)) {
			throw wrong(otherwise);
		}
		take();
		while (this.next instanceof ScalarEvent text) {
			texts.add(text.getValue());
			take();
		}
		if (!this.next.is(Event.ID.SequenceEnd)) {
			throw wrong(otherwise);
		}
		take();
		return texts;
	}

	/* Null if nothing is written. */
	private <T> @Nullable T scalar(Function<String, T> reader) {
		if (!(this.next instanceof ScalarEvent scalar)) {
			throw notUnderstood();
		}
		T value;
		try {
			value = isNull() ? null : reader.apply(scalar.getValue());
		}
		catch (IllegalArgumentException another) {
			throw notUnderstood();
		}
		take();
		return value;
	}

	private static boolean flag(String text) {
		return switch (text) {
			case "true", "True", "TRUE" -> true;
			case "false", "False", "FALSE" -> false;
			default -> throw new IllegalArgumentException();
		};
	}

	/* Double takes hexadecimal digits and the letters of Java's literals, too. */
	private static double decimal(String text) {
		if (!DECIMAL.matcher(text).matches()) {
			throw new IllegalArgumentException();
		}
		return Double.parseDouble(text);
	}

	/* Takes the start of a collection, or nothing that is written in its place. */
	private boolean begins(Event.ID start) {
		if (!isNull() && !this.next.is(start)) {
			throw notUnderstood();
		}
		return take().is(start);
	}

	private boolean isNull() {
		return this.next instanceof ScalarEvent scalar && scalar.isPlain()
				&& (scalar.getValue().isEmpty() || Resolver.NULL.matcher(scalar.getValue()).matches());
	}

	/* The last one, which ends the stream, stays. */
	private Event take() {
		Event taken = this.next;
		if (this.events.hasNext()) {
			this.next = this.events.next();
		}
		boolean isPlain = switch (this.next) {
			case AliasEvent _ -> false;
			case ScalarEvent scalar -> scalar.getTag() == null;
			case CollectionStartEvent collection -> collection.getTag() == null;
			default -> true;
		};
		if (!isPlain) {
			throw new AccessFileException("aliases and tags cannot be used, " + place(this.next.getStartMark()));
		}
		// A prefix would become another one.
		if (this.next instanceof ScalarEvent scalar
				&& !StandardCharsets.UTF_8.newEncoder().canEncode(scalar.getValue())) {
			throw new AccessFileException(
					"half of a character (a surrogate) cannot be used, " + place(this.next.getStartMark()));
		}
		return taken;
	}

	private static AccessFileException documents(String count) {
		return new AccessFileException("it has %s YAML documents that say something, not 1".formatted(count));
	}

	private static AccessFileException noYaml(String place) {
		return new AccessFileException("it is no YAML: " + place);
	}

	private AccessFileException notUnderstood() {
		return wrong(" cannot be understood");
	}

	private AccessFileException wrong(String said) {
		return new AccessFileException("%s%s, %s".formatted(name(), said, place(this.next.getStartMark())));
	}

	private String name() {
		StringBuilder name = new StringBuilder();
		for (Object step : this.path) {
			if (step instanceof Integer position) {
				name.append('[').append(position).append(']');
			}
			else {
				name.append(name.isEmpty() ? "" : ".").append(shown(step.toString()));
			}
		}
		return name.isEmpty() ? "it" : name.toString();
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
	 * The fields of the mapping that comes next; none if nothing is written in its place.
	 * The value of a field is taken before the reader advances to the next one.
	 */
	private final class Fields {

		private final Set<String> names = new HashSet<>();

		private final boolean isMapping;

		private String name = "";

		Fields() {
			this.isMapping = begins(Event.ID.MappingStart);
		}

		boolean advance() {
			if (!this.names.isEmpty()) {
				AccessDocument.this.path.removeLast();
			}
			if (!this.isMapping) {
				return false;
			}
			Event key = take();
			if (key.is(Event.ID.MappingEnd)) {
				return false;
			}
			if (!(key instanceof ScalarEvent scalar) || !this.names.add(scalar.getValue())) {
				throw noYaml(place(key.getStartMark()));
			}
			this.name = scalar.getValue();
			AccessDocument.this.path.addLast(this.name);
			return true;
		}

		String name() {
			return this.name;
		}

	}

}
