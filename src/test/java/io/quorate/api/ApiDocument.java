package io.quorate.api;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

import io.quorate.api.request.Protocol;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** The OpenAPI document, as tests compare it with the program. */
final class ApiDocument {

	private static final Set<String> METHODS = Set.of("get", "head", "put", "delete", "post", "patch", "options");

	private static final String KEY_PATH = "/v0/entity/{key}";

	/* Of HTTP itself, and instructions to browsers. */
	private static final Set<String> UNSAID = Set.of("connection", "content-length", "content-type", "date",
			"transfer-encoding", "x-content-type-options", "content-security-policy", "referrer-policy",
			"cross-origin-opener-policy", "cross-origin-resource-policy", "vary");

	private static @Nullable ApiDocument loaded;

	private final Map<String, Object> root;

	private final List<Operation> operations = new ArrayList<>();

	private ApiDocument(Map<String, Object> root) {
		this.root = root;
		at("paths").forEach((path, item) -> map(item).forEach((method, operation) -> {
			if (METHODS.contains(method)) {
				this.operations.add(new Operation(path, method.toUpperCase(Locale.ROOT), map(operation)));
			}
		}));
	}

	static synchronized ApiDocument load() {
		if (loaded == null) {
			try (InputStream file = ApiDocument.class.getResourceAsStream("openapi.yaml")) {
				loaded = new ApiDocument(new Yaml().load(file));
			}
			catch (IOException failure) {
				throw new UncheckedIOException(failure);
			}
		}
		return loaded;
	}

	@SuppressWarnings("unchecked")
	static Map<String, Object> map(@Nullable Object node) {
		return (node != null) ? (Map<String, Object>) node : Map.of();
	}

	@SuppressWarnings("unchecked")
	static List<Object> list(@Nullable Object node) {
		return (node != null) ? (List<Object>) node : List.of();
	}

	/** A member that has to be there. */
	static String text(Map<String, Object> node, String member) {
		return Objects.requireNonNull(node.get(member), member).toString();
	}

	/** The node at the end of some members. */
	Map<String, Object> at(String... members) {
		Map<String, Object> node = this.root;
		for (String member : members) {
			node = map(node.get(member));
		}
		return node;
	}

	/** What a node stands for: itself, or what it refers to. */
	Map<String, Object> resolved(Object node) {
		Object reference = map(node).get("$ref");
		if (reference == null) {
			return map(node);
		}
		String text = reference.toString();
		assertThat(text).startsWith("#/");
		Map<String, Object> found = at(text.substring(2).split("/", -1));
		assertThat(found).as(text).isNotEmpty();
		return found;
	}

	List<Operation> operations() {
		return this.operations;
	}

	/** The operation that answers a request, {@code null} if none is documented. */
	@Nullable Operation operation(String method, String target) {
		String path = target.replaceFirst("\\?.*", "");
		String wanted = path.startsWith("/v0/entity/") ? KEY_PATH : path;
		return this.operations.stream()
			.filter((operation) -> operation.path.equals(wanted) && operation.method.equals(method))
			.findFirst()
			.orElse(null);
	}

	/**
	 * Asserts that an answer has a status, a type and header fields that are documented.
	 * Requests that are no operation are not.
	 */
	void requireDocumented(String method, String target, RawConnection.Answer answer) {
		Operation operation = operation(method, target);
		if (operation == null) {
			return;
		}
		assertThat(operation.responses()).as("%s: %s", operation, answer.text()).containsKey(answer.status);
		Map<String, Object> response = map(operation.responses().get(answer.status));
		Set<String> named = new TreeSet<>(UNSAID);
		map(response.get("headers")).forEach((name, header) -> {
			named.add(name.toLowerCase(Locale.ROOT));
			if (Boolean.TRUE.equals(resolved(header).get("required"))) {
				assertThat(answer.headers).as("%s %d", operation, answer.status)
					.containsKey(name.toLowerCase(Locale.ROOT));
			}
		});
		assertThat(named).as("%s %d", operation, answer.status).containsAll(answer.headers.keySet());
		if (answer.body.length > 0) {
			String type = answer.headers.getOrDefault("content-type", "").replaceFirst(";.*", "");
			Set<String> types = map(response.get("content")).keySet();
			assertThat(types.contains("*/*") ? Set.of(type) : types).as("%s %d", operation, answer.status)
				.contains(type);
		}
		if (answer.status == 200 && operation.path.equals(Protocol.BATCH)) {
			List<Object> statuses = list(
					at("components", "schemas", "BatchAnswer", "properties", "status").get("enum"));
			assertThat(answer.text().lines().map((line) -> JsonMapper.shared().readTree(line).get("status").asInt()))
				.as(answer.text())
				.allMatch(statuses::contains);
		}
	}

	/** A method of a path. */
	final class Operation {

		final String path;

		final String method;

		final Map<String, Object> node;

		private Operation(String path, String method, Map<String, Object> node) {
			this.path = path;
			this.method = method;
			this.node = node;
		}

		/** Parameters by their names, of one place such as {@code query}. */
		Map<String, Map<String, Object>> parameters(String place) {
			Map<String, Map<String, Object>> found = new LinkedHashMap<>();
			for (Object parameter : list(this.node.get("parameters"))) {
				Map<String, Object> resolved = resolved(parameter);
				if (place.equals(resolved.get("in"))) {
					assertThat(found.put(text(resolved, "name"), resolved)).isNull();
				}
			}
			return found;
		}

		/** Answers by their status. */
		Map<Integer, Map<String, Object>> responses() {
			Map<Integer, Map<String, Object>> found = new LinkedHashMap<>();
			map(this.node.get("responses"))
				.forEach((status, response) -> found.put(Integer.valueOf(status), resolved(response)));
			return found;
		}

		@Override
		public String toString() {
			return this.method + " " + this.path;
		}

	}

}
