package io.quorate.process;

import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.quorate.Handbook;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The recipes of the handbook, typed into a shell in their order, each line for another
 * node. A version or a cursor that an answer shows stands for the one that was answered
 * here. Needs {@code bash} and {@code curl}.
 */
class RecipesIT extends SharedCluster {

	private static final Pattern TITLE = Pattern.compile("(?m)^## (.+)$");

	private static final Pattern VERSION = Pattern.compile("\"[0-9a-f]{16}-[0-9a-f]{8}\"|AQ[A-Za-z0-9_-]{6,}");

	/* That of the handbook, and that of this recipe. */
	private final Map<String, String> versions = new HashMap<>();

	private int typed;

	@TestFactory
	Stream<DynamicTest> linesOfRecipesAreAnsweredAsTheySay() throws IOException {
		Map<String, List<ConsoleExample>> recipes = new LinkedHashMap<>();
		for (String title : TITLE.matcher(Handbook.RECIPES.text()).results().map((found) -> found.group(1)).toList()) {
			List<ConsoleExample> lines = ConsoleExample.ofHandbook(Handbook.RECIPES, title);
			if (!lines.isEmpty()) {
				recipes.put(title, lines);
			}
		}
		assertThat(recipes.keySet()).containsExactly("Configuration", "Cache", "Create once", "Document", "Counter",
				"Queue", "Lock");
		return recipes.entrySet().stream().map((recipe) -> DynamicTest.dynamicTest(recipe.getKey(), () -> {
			this.versions.clear();
			recipe.getValue().forEach(this::type);
		}));
	}

	/*
	 * A machine that is busy reads clocks too slowly for a while: then nothing is done.
	 */
	private void type(ConsoleExample line) {
		String node = "http://127.0.0.1:" + this.cluster.node("n" + this.typed++ % NODES).port();
		assertThat(versions(line.command())).allMatch(this.versions::containsKey, "is a version that was answered");
		List<String> unknown = versions(line.output()).filter((version) -> !this.versions.containsKey(version))
			.toList();
		await().atMost(PATIENCE).untilAsserted(() -> {
			String printed = line.verify((text) -> here(text, node));
			unknown.forEach((version) -> this.versions.put(version, versions(printed).findFirst().orElseThrow()));
		});
	}

	/* A busy machine takes longer than a request has time, or than a lease lasts. */
	private String here(String text, String node) {
		String address = text.replace("http://localhost:8080", node)
			.replaceFirst("^curl ", "curl -H 'Quorate-Timeout: " + DEADLINE.toMillis() + "' ")
			.replaceFirst("ttl=(?<seconds>\\d+)", "ttl=${seconds}00");
		return VERSION.matcher(address).replaceAll((version) -> this.versions.getOrDefault(version.group(), "..."));
	}

	private static Stream<String> versions(String text) {
		return VERSION.matcher(text).results().map(MatchResult::group);
	}

}
