package io.quorate.security.access;

import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.reader.UnicodeReader;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/**
 * The YAML document of an access file. Each scalar is a text, as it is written: no hash
 * is taken for a number. A name that is not known, or occurs twice, is refused, and so is
 * an alias.
 */
final class AccessDocument {

	private static final JsonMapper MAPPER = JsonMapper.builder()
		.propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
		.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
		.disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
		.withConfigOverride(List.class,
				(lists) -> lists.setNullHandling(JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY)))
		.withConfigOverride(Map.class, (maps) -> maps.setNullHandling(JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY)))
		.build();

	private final Node root;

	private final Set<Node> seen = Collections.newSetFromMap(new IdentityHashMap<>());

	private AccessDocument(Node root) {
		this.root = root;
	}

	/**
	 * The settings in the only document of a file.
	 * @throws AccessFileException when it cannot be understood; the message names the
	 * place, and quotes nothing: the file may have a token by mistake
	 */
	static AccessSettings read(byte[] content) {
		return new AccessDocument(root(content)).settings();
	}

	private static Node root(byte[] content) {
		LoaderOptions options = new LoaderOptions();
		options.setCodePointLimit(content.length + 1);
		List<Node> roots = new ArrayList<>();
		try {
			for (Node node : new Yaml(options).composeAll(new UnicodeReader(new ByteArrayInputStream(content)))) {
				if (!Tag.NULL.equals(node.getTag())) {
					roots.add(node);
				}
			}
		}
		catch (YAMLException broken) {
			throw new AccessFileException("it is no YAML: " + ((broken instanceof MarkedYAMLException marked)
					? place(marked.getProblemMark()) : broken.getClass().getSimpleName()));
		}
		if (roots.size() != 1) {
			throw new AccessFileException("it has %d YAML documents that say something, not 1".formatted(roots.size()));
		}
		return roots.getFirst();
	}

	private AccessSettings settings() {
		Object tree = tree(this.root);
		try {
			return MAPPER.convertValue(tree, AccessSettings.class);
		}
		catch (JacksonException broken) {
			throw new AccessFileException(
					"%s cannot be understood, %s".formatted(name(broken.getPath()), place(mark(broken.getPath()))));
		}
	}

	private Object tree(Node node) {
		if (!(node instanceof ScalarNode) && !this.seen.add(node)) {
			throw new AccessFileException("aliases cannot be used, " + place(node.getStartMark()));
		}
		return switch (node) {
			case MappingNode mapping -> map(mapping);
			case SequenceNode sequence -> sequence.getValue().stream().map(this::tree).toList();
			case ScalarNode scalar -> scalar.getValue();
			default -> throw new AccessFileException("it is no YAML: " + place(node.getStartMark()));
		};
	}

	private Map<String, @Nullable Object> map(MappingNode mapping) {
		Map<String, @Nullable Object> values = new LinkedHashMap<>();
		for (NodeTuple tuple : mapping.getValue()) {
			if (!(tuple.getKeyNode() instanceof ScalarNode name) || values.containsKey(name.getValue())) {
				throw new AccessFileException("it is no YAML: " + place(tuple.getKeyNode().getStartMark()));
			}
			Node value = tuple.getValueNode();
			values.put(name.getValue(), Tag.NULL.equals(value.getTag()) ? null : tree(value));
		}
		return values;
	}

	private static String name(List<JacksonException.Reference> path) {
		StringBuilder name = new StringBuilder();
		for (JacksonException.Reference step : path) {
			if (step.getPropertyName() == null) {
				name.append('[').append(step.getIndex()).append(']');
			}
			else {
				name.append(name.isEmpty() ? "" : ".").append(step.getPropertyName());
			}
		}
		return name.isEmpty() ? "it" : name.toString();
	}

	private Mark mark(List<JacksonException.Reference> path) {
		Node node = this.root;
		for (JacksonException.Reference step : path) {
			Node next = child(node, step);
			if (next == null) {
				break;
			}
			node = next;
		}
		return node.getStartMark();
	}

	private static @Nullable Node child(Node node, JacksonException.Reference step) {
		if (node instanceof SequenceNode sequence && step.getIndex() >= 0
				&& step.getIndex() < sequence.getValue().size()) {
			return sequence.getValue().get(step.getIndex());
		}
		if (node instanceof MappingNode mapping) {
			for (NodeTuple tuple : mapping.getValue()) {
				if (tuple.getKeyNode() instanceof ScalarNode name && name.getValue().equals(step.getPropertyName())) {
					return tuple.getValueNode();
				}
			}
		}
		return null;
	}

	private static String place(@Nullable Mark mark) {
		return (mark != null) ? "line %d, column %d".formatted(mark.getLine() + 1, mark.getColumn() + 1)
				: "at an unknown place";
	}

}
