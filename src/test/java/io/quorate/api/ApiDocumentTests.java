package io.quorate.api;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quorate.Handbook;
import io.quorate.api.ApiDocument.Operation;
import io.quorate.api.batch.BatchController;
import io.quorate.api.batch.BatchMember;
import io.quorate.api.changes.WatchRequest;
import io.quorate.api.entity.EntityController;
import io.quorate.api.problem.ProblemType;
import io.quorate.api.range.RangeRequest;
import io.quorate.api.request.Protocol;
import io.quorate.replica.Failure.Reason;
import org.junit.jupiter.api.Test;

import static io.quorate.api.ApiDocument.list;
import static io.quorate.api.ApiDocument.map;
import static io.quorate.api.ApiDocument.text;
import static org.assertj.core.api.Assertions.assertThat;

/** Ties between the OpenAPI document, the registries of the program and the handbook. */
class ApiDocumentTests {

	/* | `status` | `name` | ... */
	private static final Pattern HANDBOOK_ROW = Pattern.compile("(?m)^\\| `(\\d{3})` \\| `([a-z-]+)` \\|");

	private static final Pattern PROJECT_VERSION = Pattern
		.compile("<artifactId>quorate</artifactId>\\s*<version>([\\d.]+)(?:-SNAPSHOT)?</version>");

	private final ApiDocument document = ApiDocument.load();

	@Test
	void theDocumentHasEveryTypeOfProblemAndNoOther() {
		Set<String> documented = new TreeSet<>();
		this.document.at("components", "responses")
			.values()
			.stream()
			.flatMap((response) -> examples(map(response)).stream())
			.forEach((example) -> documented
				.add(example.get("type") + " " + example.get("status") + " " + example.get("title")));
		assertThat(documented).isEqualTo(Arrays.stream(ProblemType.values())
			.map((type) -> type.urn() + " " + type.status() + " " + type.title())
			.collect(Collectors.toCollection(TreeSet::new)));
		assertThat(list(this.document.at("components", "schemas", "Problem", "properties", "type").get("enum")))
			.containsExactlyInAnyOrderElementsOf(Arrays.stream(ProblemType.values()).map(ProblemType::urn).toList());
	}

	@Test
	void theHandbookHasEveryTypeOfProblemAndNoOther() {
		assertThat(HANDBOOK_ROW.matcher(Handbook.HTTP_API.text())
			.results()
			.map((row) -> "urn:quorate:problem:" + row.group(2) + " " + row.group(1)))
			.containsExactlyInAnyOrderElementsOf(
					Arrays.stream(ProblemType.values()).map((type) -> type.urn() + " " + type.status()).toList());
	}

	@Test
	void documentAndHandbookHaveEveryWordThatAReplicaSays() {
		List<String> documented = list(
				this.document.at("components", "schemas", "ReplicaAnswer", "properties", "said").get("enum"))
			.stream()
			.map(Object::toString)
			.toList();
		Set<Reason> ofRequests = EnumSet
			.complementOf(EnumSet.of(Reason.FENCED, Reason.STALE_ROUND, Reason.UNSUPPORTED));
		assertThat(documented).containsAll(ofRequests.stream().map(Reason::word).toList());
		String handbook = Handbook.HTTP_API.text();
		int table = handbook.indexOf("| word | meaning |");
		assertThat(Pattern.compile("`([a-z-]+)`(?=.* \\| )")
			.matcher(handbook.substring(table, handbook.indexOf("\n\n", table)))
			.results()
			.map((word) -> word.group(1))).containsAll(documented);
	}

	@Test
	void problemsStandUnderTheirStatus() {
		for (Operation operation : this.document.operations()) {
			operation.responses()
				.forEach((status, response) -> assertThat(examples(response)).as("%s %d", operation, status)
					.allMatch((example) -> text(example, "status").equals(status.toString())));
		}
	}

	private static List<Map<String, Object>> examples(Map<String, Object> response) {
		Map<String, Object> problem = map(map(response.get("content")).get("application/problem+json"));
		return map(problem.get("examples")).values().stream().map((example) -> map(map(example).get("value"))).toList();
	}

	@Test
	void operationsThatNeedCredentialsHaveTheStatusesOfTheGate() {
		for (Operation operation : this.document.operations()) {
			boolean isForAll = operation.node.get("security") instanceof List<?> schemes && schemes.isEmpty();
			assertThat(operation.responses().containsKey(401)).as("%s 401", operation).isNotEqualTo(isForAll);
			assertThat(operation.responses().containsKey(429)).as("%s 429", operation).isNotEqualTo(isForAll);
		}
	}

	@Test
	void everyPathHasTheParametersThatTheProgramKnows() {
		Map<String, Set<String>> documented = new TreeMap<>();
		this.document.operations()
			.forEach((operation) -> documented.computeIfAbsent(operation.path, (_) -> new TreeSet<>())
				.addAll(operation.parameters("query").keySet()));
		documented.values().removeIf(Set::isEmpty);
		Set<String> withoutKey = new TreeSet<>(EntityController.PARAMETERS);
		withoutKey.removeAll(Set.of("key", "id"));
		assertThat(documented).isEqualTo(Map.of("/v0/entity", new TreeSet<>(EntityController.PARAMETERS),
				"/v0/entity/{key}", withoutKey, Protocol.RANGE, new TreeSet<>(RangeRequest.PARAMETERS), Protocol.WATCH,
				new TreeSet<>(WatchRequest.PARAMETERS), Protocol.BATCH, new TreeSet<>(BatchController.PARAMETERS)));
	}

	@Test
	void anItemOfABatchHasTheMembersThatTheProgramKnows() {
		assertThat(this.document.at("components", "schemas", "BatchItem", "properties").keySet())
			.isEqualTo(BatchMember.words());
	}

	@Test
	void eitherNameOfAKeyIsEnough() {
		for (String name : List.of("KeyInQuery", "Id")) {
			assertThat(this.document.at("components", "parameters", name)).as(name)
				.doesNotContainEntry("required", true);
		}
		Map<String, Object> item = this.document.at("components", "schemas", "BatchItem");
		assertThat(item).doesNotContainKey("required")
			.containsEntry("anyOf", List.of(Map.of("required", List.of("key")), Map.of("required", List.of("id"))));
	}

	@Test
	void theHandbookExplainsEveryParameterAndHeaderField() {
		String chapter = Handbook.HTTP_API.text();
		Set<String> missing = new TreeSet<>();
		for (Operation operation : this.document.operations()) {
			Stream.of("query", "header")
				.flatMap((place) -> operation.parameters(place).keySet().stream())
				.filter((name) -> !Pattern.compile("`" + name + "[`=:]").matcher(chapter).find())
				.forEach(missing::add);
		}
		assertThat(missing).isEmpty();
	}

	/*
	 * The reference page fills in an example of a parameter itself: of one that may be
	 * left out, it would make a request with every condition at once.
	 */
	@Test
	void onlyParametersThatAreRequiredAreFilledIn() {
		this.document.at("components", "parameters").forEach((name, node) -> {
			boolean isFilledIn = map(node).containsKey("example")
					|| map(map(node).get("schema")).containsKey("default");
			assertThat(isFilledIn).as(name).isEqualTo(Boolean.TRUE.equals(map(node).get("required")));
		});
	}

	@Test
	void everyParameterHeaderFieldAndBodyHasAnExample() {
		List<String> without = new ArrayList<>();
		for (String kind : List.of("parameters", "headers")) {
			this.document.at("components", kind).forEach((name, node) -> {
				boolean has = map(node).containsKey("example")
						|| this.document.resolved(map(map(node).get("schema"))).containsKey("examples");
				if (!has || !map(node).containsKey("description")) {
					without.add(name);
				}
			});
		}
		walk(this.document.at("paths"), (node) -> requireExamples(node, without));
		walk(this.document.at("components"), (node) -> requireExamples(node, without));
		assertThat(without).isEmpty();
	}

	private static void requireExamples(Map<String, Object> node, List<String> without) {
		if (node.get("content") instanceof Map<?, ?>) {
			map(node.get("content")).forEach((type, body) -> {
				boolean has = map(body).containsKey("example") || map(body).containsKey("examples");
				if (!has && !type.equals("*/*")) {
					without.add(type + " of " + node.get("description"));
				}
			});
		}
	}

	@Test
	void everyReferenceLeadsSomewhereAndEveryPartIsUsed() {
		Set<String> used = new TreeSet<>();
		walk(this.document.at(), (node) -> {
			if (node.get("$ref") != null) {
				this.document.resolved(node);
				used.add(node.get("$ref").toString());
			}
		});
		Set<String> parts = new TreeSet<>();
		this.document.at("components").forEach((kind, all) -> {
			if (!kind.equals("securitySchemes")) {
				map(all).keySet().forEach((name) -> parts.add("#/components/" + kind + "/" + name));
			}
		});
		assertThat(used).isEqualTo(parts);
	}

	private static void walk(Object node, Consumer<Map<String, Object>> visitor) {
		if (node instanceof Map<?, ?>) {
			visitor.accept(map(node));
			map(node).values().forEach((child) -> walk(child, visitor));
		}
		else if (node instanceof List<?> all) {
			all.forEach((child) -> walk(child, visitor));
		}
	}

	@Test
	void operationsHaveNamesOfTheirOwnAndTagsThatAreExplained() {
		List<Operation> operations = this.document.operations();
		assertThat(operations).extracting((operation) -> text(operation.node, "operationId"))
			.doesNotHaveDuplicates()
			.allMatch((name) -> name.matches("[a-z][A-Za-z]+"));
		Set<Object> tags = list(this.document.at().get("tags")).stream()
			.map((tag) -> map(tag).get("name"))
			.collect(Collectors.toSet());
		assertThat(operations.stream()
			.flatMap((operation) -> list(operation.node.get("tags")).stream())
			.collect(Collectors.toSet())).isEqualTo(tags);
	}

	@Test
	void theDocumentIsOfTheVersionOfTheProgram() throws IOException {
		String project = Files.readString(Path.of("pom.xml"));
		assertThat(PROJECT_VERSION.matcher(project).results().map((version) -> version.group(1)))
			.containsExactly(text(this.document.at("info"), "version"));
		assertThat(this.document.at().get("openapi")).isEqualTo("3.1.0");
	}

}
